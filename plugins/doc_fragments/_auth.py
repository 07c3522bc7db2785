# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this doc fragment is **PRIVATE** to the collection. It can have breaking changes at any time.

from __future__ import annotations


class ModuleDocFragment:
    """The connection to a cluster: ``auth_spec`` in ``module_utils/_kubernetes/auth_options.py``."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - Path of a kubeconfig, paths separated by colons, or the content of a kubeconfig as a dict.
      - By default, C(K8S_AUTH_KUBECONFIG), and then C(~/.kube/config), if no other option selects a cluster.
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
      - Bearer token. By default, C(K8S_AUTH_API_KEY).
    type: str
  username:
    description:
      - User for HTTP basic authentication, which OpenShift does not accept. By default, C(K8S_AUTH_USERNAME).
    type: str
  password:
    description:
      - Password of O(username). By default, C(K8S_AUTH_PASSWORD).
    type: str
  client_cert:
    description:
      - File with a client certificate. By default, C(K8S_AUTH_CERT_FILE).
    type: path
    aliases: [cert_file]
  client_key:
    description:
      - File with the key of O(client_cert). By default, C(K8S_AUTH_KEY_FILE).
    type: path
    aliases: [key_file]
  ca_cert:
    description:
      - File with the certificates of the authorities that the API server's certificate is verified with, the whole
        chain. By default, C(K8S_AUTH_SSL_CA_CERT).
    type: path
    aliases: [ssl_ca_cert]
  validate_certs:
    description:
      - Whether to verify the certificate of the API server. By default, C(K8S_AUTH_VERIFY_SSL), and otherwise it is
        verified.
    type: bool
    aliases: [verify_ssl]
  proxy:
    description:
      - URL of an HTTP proxy. By default, C(K8S_AUTH_PROXY). C(HTTP_PROXY) and C(HTTPS_PROXY) are not read.
    type: str
  no_proxy:
    description:
      - Hosts, domains and networks that are not reached by O(proxy), separated by commas. By default,
        C(K8S_AUTH_NO_PROXY).
    type: str
  proxy_headers:
    description:
      - Headers for O(proxy).
    type: dict
    suboptions:
      proxy_basic_auth:
        description:
          - User and password for the proxy, separated by a colon. By default,
            C(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH).
        type: str
      basic_auth:
        description:
          - User and password for the host behind the proxy, separated by a colon. By default,
            C(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH).
        type: str
      user_agent:
        description:
          - The C(User-Agent) for the proxy. By default, C(K8S_AUTH_PROXY_HEADERS_USER_AGENT).
        type: str
  persist_config:
    description:
      - Whether to write refreshed tokens of an identity provider back to the kubeconfig. By default,
        C(K8S_AUTH_PERSIST_CONFIG).
    type: bool
  impersonate_user:
    description:
      - User to impersonate. By default, C(K8S_AUTH_IMPERSONATE_USER).
    type: str
  impersonate_groups:
    description:
      - Groups to impersonate. By default, C(K8S_AUTH_IMPERSONATE_GROUPS), names separated by commas.
    type: list
    elements: str
requirements:
  - urllib3, to connect to a cluster
  - kubernetes >= 29.0.0 and the collection kubernetes.core, unless a kubeconfig with certificates or a token selects
    the cluster
notes:
  - The connection options are those of M(kubernetes.core.k8s), and have the same meaning.
"""
