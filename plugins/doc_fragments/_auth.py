# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The connection to a cluster: ``auth_spec`` in ``module_utils/_kubernetes/auth_options.py``."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - Path of a kubeconfig, paths separated by colons, or the content of a kubeconfig as a dict.
      - By default, C(K8S_AUTH_KUBECONFIG), then C(KUBECONFIG), then C(~/.kube/config). As with kubectl, the service
        account of a pod counts only without these and O(context); the collection C(kubernetes.core) prefers it.
      - Of several files, the first one with an entry or a current context counts, as with kubectl.
      - A kubeconfig is not read if O(host) and credentials are set.
    type: raw
  context:
    description:
      - Context in the kubeconfig. By default, C(K8S_AUTH_CONTEXT), and then the current context.
    type: str
  host:
    description:
      - URL of the API server. By default, C(K8S_AUTH_HOST).
    type: str
  api_key:
    description:
      - Bearer token, which replaces the user of the kubeconfig. By default, C(K8S_AUTH_API_KEY).
    type: str
  client_cert:
    description:
      - File with a client certificate, which replaces the user of the kubeconfig. By default,
        C(K8S_AUTH_CLIENT_CERT).
    type: path
    aliases: [cert_file]
  client_key:
    description:
      - File with the key of O(client_cert). By default, C(K8S_AUTH_CLIENT_KEY).
    type: path
    aliases: [key_file]
  ca_cert:
    description:
      - File with the certificates of the authorities that the API server's certificate is verified with, the whole
        chain. By default, C(K8S_AUTH_CA_CERT).
    type: path
    aliases: [ssl_ca_cert]
  validate_certs:
    description:
      - Whether to verify the certificate of the API server. By default, C(K8S_AUTH_VALIDATE_CERTS), and
        otherwise what the kubeconfig has.
    type: bool
    aliases: [verify_ssl]
  proxy:
    description:
      - URL of an HTTP proxy. By default, C(K8S_AUTH_PROXY), and then C(proxy-url) of the cluster in the kubeconfig.
        C(HTTP_PROXY) and C(HTTPS_PROXY) are not read.
    type: str
  no_proxy:
    description:
      - Hosts, domains and networks that are not reached by O(proxy), separated by commas. By default,
        C(K8S_AUTH_NO_PROXY).
    type: str
  impersonate_user:
    description:
      - User to impersonate. By default, C(K8S_AUTH_IMPERSONATE_USER), and then C(as), C(as-uid), C(as-groups) and
        C(as-user-extra) of the user in the kubeconfig. Required with O(impersonate_groups).
    type: str
  impersonate_groups:
    description:
      - Groups to impersonate. By default, C(K8S_AUTH_IMPERSONATE_GROUPS), names separated by commas.
    type: list
    elements: str
requirements:
  - urllib3, to connect to a cluster
  - kubernetes >= 29.0.0, if a proxy is set, or if a program or an identity provider creates the credentials of the
    kubeconfig
notes:
  - The connection options and their environment variables have the same names as in the collection C(kubernetes.core),
    also the names of the aliases, such as C(K8S_AUTH_VERIFY_SSL).
"""
