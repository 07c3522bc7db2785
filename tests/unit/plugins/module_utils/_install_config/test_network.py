# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._install_config.network import check_networking
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.installations import PLATFORMS

FOUR: dict[str, list] = {
    "machineNetwork": [{"cidr": "10.0.0.0/16"}],
    "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
    "serviceNetwork": ["172.30.0.0/16"],
}
SIX: dict[str, list] = {
    "machineNetwork": [{"cidr": "fd00:1::/64"}],
    "clusterNetwork": [{"cidr": "fd01::/48", "hostPrefix": 64}],
    "serviceNetwork": ["fd02::/112"],
}
DUAL = {field: FOUR[field] + SIX[field] for field in FOUR}


def check(networking, platform):
    problems = Problems()
    check_networking(networking, platform, "networking", problems)
    return problems


def reported(networking, platform="baremetal"):
    """Return severity and field of every problem."""
    problems = check(networking, platform)
    assert all(problem.message and problem.hint for problem in problems)
    return [(problem.severity, problem.where.removeprefix("networking.")) for problem in problems]


@pytest.mark.parametrize("platform", ["none", "baremetal", None])
@pytest.mark.parametrize(
    "networking",
    [
        {},
        FOUR,
        SIX,
        DUAL,
        {"networkType": "OVNKubernetes"},
        {"clusterNetwork": FOUR["clusterNetwork"]},
        {"serviceNetwork": None, "machineNetwork": None},
        {**FOUR, "machineNetwork": [{"cidr": "10.0.0.0/24"}, {"cidr": "10.0.1.0/24"}]},
        {**FOUR, "clusterNetwork": [{"cidr": "10.128.0.0/23", "hostPrefix": 23}]},
        {**FOUR, "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 32}]},
    ],
)
def test_good_networks(networking, platform):
    assert reported(networking, platform) == []


@pytest.mark.parametrize("networking", [None, [], "OVNKubernetes", 7])
def test_networking_is_a_map(networking):
    assert reported(networking) == [("error", "networking")]


@pytest.mark.parametrize(
    "cidr",
    [
        "10.0.0.0",
        "10.0.0.1/16",
        "10.0.0.0/33",
        "10.0.0/16",
        "fd01::1/48",
        "fd01::/129",
        "ten",
        "",
        None,
        7,
        "10.0.0.0/",
    ],
)
@pytest.mark.parametrize("field", ["machineNetwork", "clusterNetwork"])
def test_a_network_is_in_cidr_form_without_host_bits(cidr, field):
    assert reported({field: [{"cidr": cidr}]}) == [("error", f"{field}[0].cidr")]
    assert reported({"serviceNetwork": [cidr]}) == [("error", "serviceNetwork[0]")]


def test_every_entry_is_checked():
    wrong = {"machineNetwork": [{"cidr": "10.0.0.0/16"}, {"cidr": "a"}, {}], "serviceNetwork": ["b"]}

    assert reported(wrong) == [
        ("error", "machineNetwork[1].cidr"),
        ("error", "machineNetwork[2].cidr"),
        ("error", "serviceNetwork[0]"),
    ]


@pytest.mark.parametrize("field", ["machineNetwork", "clusterNetwork", "serviceNetwork"])
@pytest.mark.parametrize("entries", ["10.0.0.0/16", {"cidr": "10.0.0.0/16"}, 7])
def test_networks_are_a_list(field, entries):
    assert reported({field: entries}) == [("error", field)]


@pytest.mark.parametrize(
    ("networking", "where", "others"),
    [
        ({**FOUR, "serviceNetwork": ["10.128.0.0/16"]}, "serviceNetwork[0]", ["clusterNetwork[0].cidr"]),
        ({**FOUR, "serviceNetwork": ["10.0.0.0/24"]}, "serviceNetwork[0]", ["machineNetwork[0].cidr"]),
        (
            {**FOUR, "clusterNetwork": [{"cidr": "10.0.0.0/8", "hostPrefix": 23}]},
            "clusterNetwork[0].cidr",
            ["machineNetwork[0].cidr"],
        ),
        (
            {
                **FOUR,
                "clusterNetwork": [
                    {"cidr": "10.128.0.0/14", "hostPrefix": 23},
                    {"cidr": "10.128.0.0/16", "hostPrefix": 23},
                ],
            },
            "clusterNetwork[1].cidr",
            ["clusterNetwork[0].cidr"],
        ),
        ({**SIX, "serviceNetwork": ["fd01::/112"]}, "serviceNetwork[0]", ["clusterNetwork[0].cidr"]),
    ],
)
def test_networks_do_not_overlap(networking, where, others):
    problems = check(networking, None)

    assert [problem.where for problem in problems] == [f"networking.{where}"]
    assert [other for other in others if f"of networking.{other}" not in problems[0].message] == []


@pytest.mark.parametrize(
    ("networking", "field"),
    [
        ({"machineNetwork": [{"cidr": "172.30.4.0/24"}]}, "serviceNetwork, by default"),
        ({"serviceNetwork": ["10.0.4.0/24"]}, "serviceNetwork[0]"),
        ({"machineNetwork": [{"cidr": "10.128.0.0/24"}]}, "clusterNetwork, by default"),
    ],
)
def test_networks_do_not_overlap_defaults_of_the_installer(networking, field):
    assert reported(networking) == [("error", field)]


@pytest.mark.parametrize(
    ("networking", "fields"),
    [
        ({**FOUR, "serviceNetwork": DUAL["serviceNetwork"]}, ["machineNetwork", "clusterNetwork"]),
        ({"serviceNetwork": DUAL["serviceNetwork"]}, ["machineNetwork", "clusterNetwork"]),
        ({**DUAL, "clusterNetwork": FOUR["clusterNetwork"]}, ["clusterNetwork"]),
        ({**DUAL, "clusterNetwork": SIX["clusterNetwork"]}, ["clusterNetwork"]),
        ({**DUAL, "machineNetwork": FOUR["machineNetwork"]}, ["machineNetwork"]),
        # Service networks determine the families of the cluster, so these are not dual stack.
        ({**DUAL, "serviceNetwork": FOUR["serviceNetwork"]}, []),
        ({**DUAL, "serviceNetwork": SIX["serviceNetwork"]}, []),
    ],
)
def test_dual_stack_services_require_a_dual_stack_cluster(networking, fields):
    """openshift/installer:pkg/types/validation/installconfig.go inferIPVersionFromInstallConfig."""
    assert reported(networking) == [("error", field) for field in fields]


@pytest.mark.parametrize("entries", [["172.30.0.0/16", "172.31.0.0/16"], ["fd02::/112", "fd03::/112"]])
def test_there_is_at_most_one_service_network_per_family(entries):
    machines = FOUR if "." in entries[0] else SIX

    assert reported({**machines, "serviceNetwork": entries}) == [("error", "serviceNetwork")]


# openshift/installer:pkg/types/validation/installconfig.go validateNetworkingIPVersion
_WITH_IPV6 = ["none", "baremetal", "external", "nutanix", "openstack", "ovirt", "vsphere"]


@pytest.mark.parametrize("networking", [SIX, DUAL])
def test_some_platforms_have_no_ipv6(networking):
    assert [platform for platform in PLATFORMS if reported(networking, platform) == []] == _WITH_IPV6
    assert reported(networking, "aws") == [("error", "serviceNetwork")]


def test_every_platform_has_ipv4():
    assert [platform for platform in PLATFORMS if reported(FOUR, platform)] == []


def test_some_platforms_have_ipv6_first():
    networking = {field: list(reversed(entries)) for field, entries in DUAL.items()}

    assert [platform for platform in PLATFORMS if reported(networking, platform) == []] == [
        "baremetal",
        "openstack",
        "vsphere",
    ]
    assert [field for _severity, field in reported(networking, "none")] == [
        "machineNetwork",
        "clusterNetwork",
        "serviceNetwork",
    ]


@pytest.mark.parametrize("prefix", [48, 63, 65, 80])
def test_a_host_prefix_of_ipv6_is_64(prefix):
    networking = {**SIX, "clusterNetwork": [{"cidr": "fd01::/48", "hostPrefix": prefix}]}

    assert reported(networking) == [("error", "clusterNetwork[0]")]


@pytest.mark.parametrize("cidr", ["10.128.0.0/14", "fd01::/48"])
def test_a_cluster_network_has_a_host_prefix(cidr):
    assert reported({"clusterNetwork": [{"cidr": cidr}]}) == [("error", "clusterNetwork[0]")]


def test_all_ipv4_networks_have_the_same_host_prefix():
    entries = [{"cidr": "10.128.0.0/14", "hostPrefix": 23}, {"cidr": "10.132.0.0/14", "hostPrefix": 24}]

    assert reported({"clusterNetwork": entries}) == [("error", "clusterNetwork[1]")]


@pytest.mark.parametrize(
    ("cidr", "prefix"), [("10.128.0.0/14", 13), ("10.128.0.0/24", 23), ("10.128.0.0/14", 33), ("fd01::/48", 47)]
)
def test_a_host_prefix_fits_into_its_network(cidr, prefix):
    assert reported({"clusterNetwork": [{"cidr": cidr, "hostPrefix": prefix}]}) == [("error", "clusterNetwork[0]")]


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("machineCIDR", "10.0.0.0/16", "machineNetwork"),
        ("serviceCIDR", "172.30.0.0/16", "serviceNetwork"),
        ("clusterNetworks", [{"cidr": "10.128.0.0/14"}], "clusterNetwork"),
        ("type", "OVNKubernetes", "networkType"),
    ],
)
def test_deprecated_names_of_fields_are_warnings(old, value, new):
    (problem,) = check({old: value}, "none")

    assert (problem.severity, problem.where, problem.hint) == ("warning", f"networking.{old}", f"Write {new}")


def test_the_deprecated_length_of_a_host_subnet_is_a_warning():
    (problem,) = check({"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostSubnetLength": 9}]}, "none")

    assert (problem.severity, problem.where) == ("warning", "networking.clusterNetwork[0].hostSubnetLength")


def test_the_removed_network_type_is_a_warning():
    assert reported({"networkType": "OpenShiftSDN"}) == [("warning", "networkType")]


PROBLEMS = [
    ([], "none", "error", "not-a-map", "networking", "is a list, expected a map",
     "Write fields such as machineNetwork below it"),
    ({"machineCIDR": "10.0.0.0/16"}, "none", "warning", "deprecated-field", "machineCIDR",
     "is the deprecated name of a field", "Write machineNetwork"),
    ({"networkType": "OpenShiftSDN"}, "none", "warning", "deprecated-value", "networkType",
     "is OpenShiftSDN, which recent installers reject", "Write OVNKubernetes"),
    ({"serviceNetwork": "172.30.0.0/16"}, "none", "error", "not-a-list", "serviceNetwork",
     "is a string, expected a list", "Write one entry per line"),
    ({"serviceNetwork": ["172.30.0.1/16"]}, "none", "error", "invalid-network", "serviceNetwork[0]",
     "'172.30.0.1/16' is not a network in CIDR notation",
     "Write a network without host bits, such as 10.0.0.0/16 or fd01::/48"),
    ({"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostSubnetLength": 9}]}, "none", "warning", "deprecated-field",
     "clusterNetwork[0].hostSubnetLength", "is the deprecated name of a field", "Write hostPrefix"),
    ({"clusterNetwork": [{"cidr": "10.128.0.0/14"}]}, "none", "error", "missing-field", "clusterNetwork[0]",
     "has no hostPrefix, the prefix length of the part that each node gets",
     "Write hostPrefix: 23 for IPv4 and 64 for IPv6"),
    ({"clusterNetwork": [{"cidr": "10.128.0.0/24", "hostPrefix": 23}]}, "none", "error", "invalid-host-prefix",
     "clusterNetwork[0]", "hostPrefix 23 does not fit into 10.128.0.0/24",
     "Write 23 for IPv4 and 64 for IPv6, or a larger network"),
    ({**SIX, "clusterNetwork": [{"cidr": "fd01::/48", "hostPrefix": 63}]},
     "none", "error", "invalid-host-prefix", "clusterNetwork[0]", "hostPrefix is 63, expected 64 for IPv6",
     "Write 64"),
    ({"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}, {"cidr": "10.132.0.0/14", "hostPrefix": 24}]},
     "none", "error", "invalid-host-prefix", "clusterNetwork[1]",
     "hostPrefix is 24, expected 23 as for the first IPv4 network", "Write the same value for all IPv4 networks"),
    ({"serviceNetwork": ["10.0.4.0/24"]}, "none", "error", "overlapping-networks", "serviceNetwork[0]",
     "10.0.4.0/24 overlaps 10.0.0.0/16 of networking.machineNetwork, by default",
     "Choose networks that have no address in common"),
    (SIX,
     "aws", "error", "unsupported-platform", "serviceNetwork",
     "IPv6 is not supported on platform aws, "
     "expected one of baremetal, external, none, nutanix, openstack, ovirt, vsphere",
     "Write an IPv4 network"),
    ({"serviceNetwork": ["172.30.0.0/16", "172.31.0.0/16"]}, "none", "error", "duplicate-network", "serviceNetwork",
     "has more than one network of a family", "Write one network, or one of IPv4 and one of IPv6"),
    ({**DUAL, "clusterNetwork": FOUR["clusterNetwork"]},
     "none", "error", "missing-network", "clusterNetwork",
     "has no IPv6 network, but the service networks have both families", "Add a network of that family"),
    ({**DUAL, "machineNetwork": DUAL["machineNetwork"][::-1]},
     "none", "error", "unsupported-platform", "machineNetwork",
     "has an IPv6 network first, expected IPv4 first on platform none", "Put the IPv4 network first"),
]  # fmt: skip


@pytest.mark.parametrize(("networking", "platform", "severity", "code", "field", "message", "hint"), PROBLEMS)
def test_message_and_hint(networking, platform, severity, code, field, message, hint):
    where = field if field == "networking" else f"networking.{field}"

    assert [tuple(problem) for problem in check(networking, platform)] == [(severity, code, where, message, hint)]


NETWORKS = st.builds(
    lambda bits, prefix: ip_network((bits >> (32 - prefix) << (32 - prefix), prefix)),
    st.integers(0, 2**32 - 1),
    st.integers(1, 30),
)


@given(NETWORKS, NETWORKS)
def test_networks_overlap_if_one_begins_in_the_other(one, other):
    overlap = one.network_address in other or other.network_address in one
    cluster = SIX["clusterNetwork"]  # out of the way of both
    problems = reported(
        {"machineNetwork": [{"cidr": str(one)}], "serviceNetwork": [str(other)], "clusterNetwork": cluster}
    )

    assert problems == ([("error", "serviceNetwork[0]")] if overlap else [])


ANYTHING = st.recursive(
    st.none() | st.integers() | st.booleans() | st.sampled_from(["10.0.0.0/8", "fd00::/8", "1/2", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["machineNetwork", "clusterNetwork", "serviceNetwork", "cidr", "hostPrefix", "networkType", "type"]
            ),
            inner,
        )
    ),
)


@given(ANYTHING)
def test_no_value_raises_an_exception(networking):
    assert all(where for _severity, where in reported(networking))
