# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._install_config.network import network_problems
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


def found(networking, platform="baremetal"):
    problems = list(network_problems(networking, platform, "networking"))
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
    assert found(networking, platform) == []


@pytest.mark.parametrize("networking", [None, [], "OVNKubernetes", 7])
def test_networking_is_a_map(networking):
    assert found(networking) == [("error", "networking")]


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
    assert found({field: [{"cidr": cidr}]}) == [("error", f"{field}[0].cidr")]
    assert found({"serviceNetwork": [cidr]}) == [("error", "serviceNetwork[0]")]


def test_every_entry_is_looked_at():
    wrong = {"machineNetwork": [{"cidr": "10.0.0.0/16"}, {"cidr": "a"}, {}], "serviceNetwork": ["b"]}

    assert found(wrong) == [
        ("error", "machineNetwork[1].cidr"),
        ("error", "machineNetwork[2].cidr"),
        ("error", "serviceNetwork[0]"),
    ]


@pytest.mark.parametrize("field", ["machineNetwork", "clusterNetwork", "serviceNetwork"])
@pytest.mark.parametrize("entries", ["10.0.0.0/16", {"cidr": "10.0.0.0/16"}, 7])
def test_networks_are_a_list(field, entries):
    assert found({field: entries}) == [("error", field)]


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
    problems = list(network_problems(networking, None, "networking"))

    assert [problem.where for problem in problems] == [f"networking.{where}"]
    assert [other for other in others if f"of networking.{other}" not in problems[0].message] == []


@pytest.mark.parametrize(
    ("networking", "place"),
    [
        ({"machineNetwork": [{"cidr": "172.30.4.0/24"}]}, "serviceNetwork, by default"),
        ({"serviceNetwork": ["10.0.4.0/24"]}, "serviceNetwork[0]"),
        ({"machineNetwork": [{"cidr": "10.128.0.0/24"}]}, "clusterNetwork, by default"),
    ],
)
def test_networks_do_not_overlap_what_the_installer_adds(networking, place):
    assert found(networking) == [("error", place)]


@pytest.mark.parametrize(
    ("networking", "fields"),
    [
        ({**FOUR, "serviceNetwork": DUAL["serviceNetwork"]}, ["machineNetwork", "clusterNetwork"]),
        ({"serviceNetwork": DUAL["serviceNetwork"]}, ["machineNetwork", "clusterNetwork"]),
        ({**DUAL, "clusterNetwork": FOUR["clusterNetwork"]}, ["clusterNetwork"]),
        ({**DUAL, "clusterNetwork": SIX["clusterNetwork"]}, ["clusterNetwork"]),
        ({**DUAL, "machineNetwork": FOUR["machineNetwork"]}, ["machineNetwork"]),
        # Service networks decide what the cluster is, so these are no dual stack.
        ({**DUAL, "serviceNetwork": FOUR["serviceNetwork"]}, []),
        ({**DUAL, "serviceNetwork": SIX["serviceNetwork"]}, []),
    ],
)
def test_where_services_are_dual_stack_everything_is(networking, fields):
    """openshift/installer:pkg/types/validation/installconfig.go inferIPVersionFromInstallConfig."""
    assert found(networking) == [("error", field) for field in fields]


@pytest.mark.parametrize("entries", [["172.30.0.0/16", "172.31.0.0/16"], ["fd02::/112", "fd03::/112"]])
def test_there_is_one_service_network_of_a_family(entries):
    machines = FOUR if "." in entries[0] else SIX

    assert found({**machines, "serviceNetwork": entries}) == [("error", "serviceNetwork")]


# openshift/installer:pkg/types/validation/installconfig.go validateNetworkingIPVersion
_WITH_IPV6 = ["none", "baremetal", "external", "nutanix", "openstack", "ovirt", "vsphere"]


@pytest.mark.parametrize("networking", [SIX, DUAL])
def test_some_platforms_have_no_ipv6(networking):
    assert [platform for platform in PLATFORMS if found(networking, platform) == []] == _WITH_IPV6
    assert found(networking, "aws") == [("error", "serviceNetwork")]


def test_every_platform_has_ipv4():
    assert [platform for platform in PLATFORMS if found(FOUR, platform)] == []


def test_some_platforms_have_ipv6_first():
    networking = {field: list(reversed(entries)) for field, entries in DUAL.items()}

    assert [platform for platform in PLATFORMS if found(networking, platform) == []] == [
        "baremetal",
        "openstack",
        "vsphere",
    ]
    assert [place for _severity, place in found(networking, "none")] == [
        "machineNetwork",
        "clusterNetwork",
        "serviceNetwork",
    ]


@pytest.mark.parametrize("prefix", [48, 63, 65, 80])
def test_a_host_prefix_of_ipv6_is_64(prefix):
    networking = {**SIX, "clusterNetwork": [{"cidr": "fd01::/48", "hostPrefix": prefix}]}

    assert found(networking) == [("error", "clusterNetwork[0]")]


@pytest.mark.parametrize("cidr", ["10.128.0.0/14", "fd01::/48"])
def test_a_cluster_network_says_what_each_node_gets(cidr):
    assert found({"clusterNetwork": [{"cidr": cidr}]}) == [("error", "clusterNetwork[0]")]


def test_all_ipv4_networks_have_the_same_host_prefix():
    entries = [{"cidr": "10.128.0.0/14", "hostPrefix": 23}, {"cidr": "10.132.0.0/14", "hostPrefix": 24}]

    assert found({"clusterNetwork": entries}) == [("error", "clusterNetwork[1]")]


@pytest.mark.parametrize(
    ("cidr", "prefix"), [("10.128.0.0/14", 13), ("10.128.0.0/24", 23), ("10.128.0.0/14", 33), ("fd01::/48", 47)]
)
def test_a_host_prefix_fits_into_its_network(cidr, prefix):
    assert found({"clusterNetwork": [{"cidr": cidr, "hostPrefix": prefix}]}) == [("error", "clusterNetwork[0]")]


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("machineCIDR", "10.0.0.0/16", "machineNetwork"),
        ("serviceCIDR", "172.30.0.0/16", "serviceNetwork"),
        ("clusterNetworks", [{"cidr": "10.128.0.0/14"}], "clusterNetwork"),
        ("type", "OVNKubernetes", "networkType"),
    ],
)
def test_old_names_of_fields_are_worth_a_warning(old, value, new):
    (problem,) = network_problems({old: value}, "none", "networking")

    assert (problem.severity, problem.where, problem.hint) == ("warning", f"networking.{old}", f"Write {new}")


def test_the_old_length_of_a_host_subnet_is_worth_a_warning():
    (problem,) = network_problems(
        {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostSubnetLength": 9}]}, "none", "networking"
    )

    assert (problem.severity, problem.where) == ("warning", "networking.clusterNetwork[0].hostSubnetLength")


def test_the_old_network_type_is_worth_a_warning():
    assert found({"networkType": "OpenShiftSDN"}) == [("warning", "networkType")]


NETWORKS = st.builds(
    lambda bits, prefix: ip_network((bits >> (32 - prefix) << (32 - prefix), prefix)),
    st.integers(0, 2**32 - 1),
    st.integers(1, 30),
)


@given(NETWORKS, NETWORKS)
def test_networks_overlap_if_one_begins_in_the_other(one, other):
    overlap = one.network_address in other or other.network_address in one
    cluster = SIX["clusterNetwork"]  # out of the way of both
    problems = found(
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
def test_no_value_at_all_ends_in_an_exception(networking):
    assert all(where for _severity, where in found(networking))
