# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which proxy a request uses, compared with what Go's httpproxy documents."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._http.error import HttpError
from ansible_collections.capability.openshift.plugins.module_utils._http.proxy import Proxy, find_proxy

PROXY = "http://proxy.example:3128"


def proxy_for(url, **environ):
    return find_proxy(url, environ)


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        ("https://quay.io/v2/", {}, None),
        ("https://quay.io/v2/", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://quay.io/v2/", {"https_proxy": PROXY}, PROXY),
        ("https://quay.io/v2/", {"https_proxy": "http://other:1", "HTTPS_PROXY": PROXY}, PROXY),
        ("https://quay.io/v2/", {"HTTP_PROXY": PROXY}, None),
        ("http://quay.io/v2/", {"HTTP_PROXY": PROXY}, PROXY),
        ("https://quay.io/v2/", {"HTTPS_PROXY": "proxy.example"}, "http://proxy.example:80"),
        ("https://quay.io/v2/", {"HTTPS_PROXY": "https://proxy.example"}, "https://proxy.example:443"),
        ("https://quay.io/v2/", {"HTTPS_PROXY": "http://[::2]:1"}, "http://[::2]:1"),
        ("https://127.0.0.1:5000/v2/", {"HTTPS_PROXY": PROXY}, None),
        ("https://localhost/v2/", {"HTTPS_PROXY": PROXY}, None),
        ("https://[::1]:5000/v2/", {"HTTPS_PROXY": PROXY}, None),
    ],
)
def test_the_proxy_of_a_url(url, environ, expected):
    assert proxy_for(url, **environ) == (expected and Proxy(expected))


@pytest.mark.parametrize(
    ("no_proxy", "host", "direct"),
    [
        ("*", "quay.io", True),
        ("quay.io", "quay.io", True),
        ("quay.io", "cdn.quay.io", True),
        ("quay.io", "notquay.io", False),
        (".quay.io", "quay.io", False),
        (".quay.io", "cdn.quay.io", True),
        ("*.quay.io", "cdn.quay.io", True),
        ("a.example, QUAY.IO ,b.example", "quay.io", True),
        ("quay.io:443", "quay.io", True),
        ("quay.io:8443", "quay.io", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("2.3", "10.1.2.3", False),
        ("fd00::/8", "[fd00::1]", True),
        ("fd00::1", "[fd00::1]", True),
        ("[fd00::1]:443", "[fd00::1]", True),
        ("10.0.0.0/99", "10.1.2.3", False),
        ("10.0.0.0/255.0.0.0", "10.1.2.3", False),
        ("[fd00::1]", "[fd00::1]", False),
        ("*quay.io", "quay.io", False),
        ("quay.io", "quay.io.", False),
        ("", "quay.io", False),
        (",", "quay.io", False),
    ],
)
def test_no_proxy(no_proxy, host, direct):
    assert (proxy_for(f"https://{host}/v2/", HTTPS_PROXY=PROXY, NO_PROXY=no_proxy) is None) is direct


def test_the_credentials_of_a_proxy_are_not_shown():
    found = proxy_for("https://quay.io/", HTTPS_PROXY="http://us%20er:pass%3Aword@proxy.example:3128")
    assert found == Proxy(PROXY, "us er:pass:word")
    assert "word" not in repr(found)


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
@pytest.mark.parametrize("value", ["socks5://proxy.example", "http://user:secret@", "http://proxy.example:x", "://"])
def test_a_proxy_that_is_not_valid(name, value):
    with pytest.raises(HttpError, match=name) as error:
        proxy_for("https://quay.io/", **{name: value})
    assert error.value.code == "invalid-proxy"
    assert "secret" not in str(error.value)
