# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The fields of an install-config, and the installers that reject any other field."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from .._version import Minor

UNKNOWN_FIELDS_IGNORED = Minor(4, 14), Minor(4, 21)
"""The first and the last minor whose installer only warns of an unknown field. Earlier and later ones reject it.

Source: openshift/installer:pkg/asset/installconfig/installconfigbase.go LoadFromFile; installconfig.go Load in 4.11
and 4.12.

- 4.11 (455d51802), 4.12 (798aeaaf6) and 4.13 (1b2041c96) try again with yaml.UnmarshalStrict, which rejects unknown
  fields as well (kubernetes-sigs/yaml v1.3.0:yaml.go). 0fac27304 of 2023-03-07 corrects that, for 4.14.
- 4.14 (143dda38f), 4.15 to 4.18, 4.19 (9cdc31344), 4.20 and 4.21 ignore them after a warning.
- bcf281163 (CORS-3954) rejects them, unless services set the variable OPENSHIFT_INSTALL_INVOKER. It came to main with
  435db5ebe of 2026-02-27, when main was 4.22: openshift/installer#10205 calls it so, and fc62ca57f updates the images
  for 4.22 five days later. The branch 4.22 itself was not read.
"""

FIELDS_KNOWN_UNTIL = Minor(5, 0)
"""The last minor whose fields were read. The types of later installers can have more."""

_TABLE = """\
: additionalTrustBundle additionalTrustBundlePolicy apiVersion arbiter baseDomain bootstrapInPlace capabilities compute
  controlPlane cpuPartitioningMode credentialsMode featureGates featureSet fips imageContentSources imageDigestSources
  kind metadata networking operatorPublishingStrategy osImageStream pki platform proxy publish pullSecret sshKey
bootstrapInPlace: installationDisk
compute: architecture diskSetup fencing hyperthreading management name platform replicas
compute.diskSetup: etcd swap type userDefined
compute.diskSetup.etcd: platformDiskID
compute.diskSetup.swap: platformDiskID
compute.diskSetup.userDefined: mountPath platformDiskID
compute.fencing: credentials
compute.fencing.credentials: address certificateVerification hostName macAddress password username
compute.platform: aws azure baremetal gcp ibmcloud nutanix openstack ovirt powervc powervs vsphere
compute.platform.aws: additionalSecurityGroupIDs amiID cpuOptions hostPlacement iamProfile iamRole metadataService
  rootVolume type zones
compute.platform.aws.cpuOptions: confidentialCompute
compute.platform.aws.hostPlacement: affinity dedicatedHost
compute.platform.aws.hostPlacement.dedicatedHost: id
compute.platform.aws.metadataService: authentication
compute.platform.aws.rootVolume: iops kmsKeyARN size throughput type
compute.platform.azure: bootDiagnostics dataDisks encryptionAtHost identity osDisk osImage settings type
  ultraSSDCapability vmNetworkingType zones
compute.platform.azure.bootDiagnostics: resourceGroup storageAccountName type
compute.platform.azure.dataDisks: cachingType diskSizeGB lun managedDisk nameSuffix
compute.platform.azure.dataDisks.managedDisk: diskEncryptionSet securityProfile storageAccountType
compute.platform.azure.dataDisks.managedDisk.diskEncryptionSet: id
compute.platform.azure.dataDisks.managedDisk.securityProfile: diskEncryptionSet securityEncryptionType
compute.platform.azure.dataDisks.managedDisk.securityProfile.diskEncryptionSet: id
compute.platform.azure.identity: type userAssignedIdentities
compute.platform.azure.identity.userAssignedIdentities: name resourceGroup subscription
compute.platform.azure.osDisk: diskEncryptionSet diskSizeGB diskType securityProfile
compute.platform.azure.osDisk.diskEncryptionSet: name resourceGroup subscriptionId
compute.platform.azure.osDisk.securityProfile: diskEncryptionSet securityEncryptionType
compute.platform.azure.osDisk.securityProfile.diskEncryptionSet: name resourceGroup subscriptionId
compute.platform.azure.osImage: offer plan publisher sku version
compute.platform.azure.settings: confidentialVM securityType trustedLaunch
compute.platform.azure.settings.confidentialVM: uefiSettings
compute.platform.azure.settings.confidentialVM.uefiSettings: secureBoot virtualizedTrustedPlatformModule
compute.platform.azure.settings.trustedLaunch: uefiSettings
compute.platform.azure.settings.trustedLaunch.uefiSettings: secureBoot virtualizedTrustedPlatformModule
compute.platform.baremetal:
compute.platform.gcp: confidentialCompute onHostMaintenance osDisk osImage secureBoot serviceAccount tags type zones
compute.platform.gcp.osDisk: DiskSizeGB diskType encryptionKey
compute.platform.gcp.osDisk.encryptionKey: kmsKey kmsKeyServiceAccount
compute.platform.gcp.osDisk.encryptionKey.kmsKey: keyRing location name projectID
compute.platform.gcp.osImage: name project
compute.platform.ibmcloud: bootVolume dedicatedHosts type zones
compute.platform.ibmcloud.bootVolume: encryptionKey
compute.platform.ibmcloud.dedicatedHosts: name profile
compute.platform.nutanix: bootType categories coresPerSocket cpus dataDisks failureDomains gpus memoryMiB osDisk project
compute.platform.nutanix.categories: key value
compute.platform.nutanix.dataDisks: dataSourceImage deviceProperties diskSize storageConfig
compute.platform.nutanix.dataDisks.dataSourceImage: name referenceName uuid
compute.platform.nutanix.dataDisks.deviceProperties: adapterType deviceIndex deviceType
compute.platform.nutanix.dataDisks.storageConfig: diskMode storageContainer
compute.platform.nutanix.dataDisks.storageConfig.storageContainer: name referenceName uuid
compute.platform.nutanix.gpus: deviceID name type
compute.platform.nutanix.osDisk: diskSizeGiB
compute.platform.nutanix.project: name type uuid
compute.platform.openstack: additionalNetworkIDs additionalSecurityGroupIDs rootVolume serverGroupPolicy type zones
compute.platform.openstack.rootVolume: size type types zones
compute.platform.ovirt: affinityGroupsNames autoPinningPolicy clone cpu format hugepages instanceTypeID memoryMB osDisk
  sparse vmType
compute.platform.ovirt.cpu: cores sockets threads
compute.platform.ovirt.osDisk: sizeGB
compute.platform.powervc: additionalNetworkIDs additionalSecurityGroupIDs rootVolume serverGroupPolicy type zones
compute.platform.powervc.rootVolume: size type types zones
compute.platform.powervs: memoryGiB procType processors smtLevel sysType volumeIDs
compute.platform.vsphere: coresPerSocket cpus dataDisks memoryMB osDisk zones
compute.platform.vsphere.dataDisks: name provisioningMode sizeGiB
compute.platform.vsphere.osDisk: diskSizeGB
imageContentSources: mirrors source
imageDigestSources: mirrors source sourcePolicy
networking: clusterNetwork clusterNetworkMTU clusterNetworks machineCIDR machineNetwork networkType ovnKubernetesConfig
  serviceCIDR serviceNetwork type
networking.clusterNetwork: cidr hostPrefix hostSubnetLength
networking.clusterNetworks: cidr hostPrefix hostSubnetLength
networking.machineNetwork: cidr
networking.ovnKubernetesConfig: ipv4
networking.ovnKubernetesConfig.ipv4: internalJoinSubnet
operatorPublishingStrategy: apiserver ingress
pki: signerCertificates
pki.signerCertificates: key
pki.signerCertificates.key: algorithm ecdsa rsa
pki.signerCertificates.key.ecdsa: curve
pki.signerCertificates.key.rsa: keySize
platform.aws: amiID bestEffortDeleteIgnition defaultMachinePlatform hostedZone hostedZoneRole ipFamily lbType
  preserveBootstrapIgnition propagateUserTags publicIpv4Pool region serviceEndpoints subnets userProvisionedDNS userTags
  vpc
platform.aws.serviceEndpoints: name url
platform.aws.vpc: subnets
platform.aws.vpc.subnets: id roles
platform.aws.vpc.subnets.roles: type
platform.azure: allowSharedKeyAccess armEndpoint baseDomainResourceGroupName cloudName clusterOSImage computeSubnet
  controlPlaneSubnet customerManagedKey defaultMachinePlatform ipFamily networkResourceGroupName outboundType region
  resourceGroupName subnets userProvisionedDNS userTags virtualNetwork
platform.azure.customerManagedKey: keyVault userAssignedIdentityKey
platform.azure.customerManagedKey.keyVault: keyName name resourceGroup
platform.azure.subnets: name role
platform.baremetal: additionalNTPServers apiVIP apiVIPs bmcVerifyCA bootstrapExternalStaticDNS
  bootstrapExternalStaticGateway bootstrapExternalStaticIP bootstrapOSImage bootstrapProvisioningIP clusterOSImage
  clusterProvisioningIP defaultMachinePlatform dnsRecordsType externalBridge externalMACAddress hosts ingressVIP
  ingressVIPs libvirtURI loadBalancer provisioningBridge provisioningDHCPExternal provisioningDHCPRange
  provisioningHostIP provisioningMACAddress provisioningNetwork provisioningNetworkCIDR provisioningNetworkGateway
  provisioningNetworkInterface
platform.baremetal.hosts: bmc bootMACAddress bootMode hardwareProfile name networkConfig role rootDeviceHints
platform.baremetal.hosts.bmc: address disableCertificateVerification password username
platform.baremetal.hosts.rootDeviceHints: deviceName hctl minSizeGigabytes model rotational serialNumber vendor wwn
  wwnVendorExtension wwnWithExtension
platform.baremetal.loadBalancer: type
platform.external: cloudControllerManager platformName
platform.gcp: computeSubnet controlPlaneSubnet defaultMachinePlatform dns endpoint firewallRulesManagement network
  networkProjectID projectID region userLabels userProvisionedDNS userTags
platform.gcp.dns: privateZone
platform.gcp.dns.privateZone: name projectID
platform.gcp.endpoint: clusterUseOnly name
platform.gcp.userLabels: key value
platform.gcp.userTags: key parentID value
platform.ibmcloud: computeSubnets controlPlaneSubnets defaultMachinePlatform networkResourceGroupName region
  resourceGroupName serviceEndpoints vpcName
platform.ibmcloud.serviceEndpoints: name url
platform.none:
platform.nutanix: apiVIP apiVIPs clusterOSImage defaultMachinePlatform dnsRecordsType failureDomains ingressVIP
  ingressVIPs loadBalancer preloadedOSImageName prismAPICallTimeout prismCentral prismElements subnetUUIDs
platform.nutanix.failureDomains: dataSourceImages name prismElement storageContainers subnetUUIDs
platform.nutanix.failureDomains.dataSourceImages: name referenceName uuid
platform.nutanix.failureDomains.prismElement: endpoint name uuid
platform.nutanix.failureDomains.prismElement.endpoint: address port
platform.nutanix.failureDomains.storageContainers: name referenceName uuid
platform.nutanix.loadBalancer: type
platform.nutanix.prismCentral: endpoint password username
platform.nutanix.prismCentral.endpoint: address port
platform.nutanix.prismElements: endpoint name uuid
platform.nutanix.prismElements.endpoint: address port
platform.openstack: apiFloatingIP apiVIP apiVIPs cloud clusterOSImage clusterOSImageProperties computeFlavor
  controlPlanePort defaultMachinePlatform dnsRecordsType externalDNS externalNetwork ingressFloatingIP ingressVIP
  ingressVIPs lbFloatingIP loadBalancer machinesSubnet octaviaSupport region trunkSupport
platform.openstack.controlPlanePort: fixedIPs network
platform.openstack.controlPlanePort.fixedIPs: subnet
platform.openstack.controlPlanePort.fixedIPs.subnet: id name
platform.openstack.controlPlanePort.network: id name
platform.openstack.loadBalancer: type
platform.ovirt: affinityGroups api_vip api_vips defaultMachinePlatform ingress_vip ingress_vips loadBalancer
  ovirt_cluster_id ovirt_network_name ovirt_storage_domain_id vnicProfileID
platform.ovirt.affinityGroups: description enforcing name priority
platform.ovirt.loadBalancer: type
platform.powervc: apiFloatingIP apiVIPs cloud clusterOSImage clusterOSImageProperties controlPlanePort
  defaultMachinePlatform externalDNS externalNetwork imageName ingressFloatingIP ingressVIPs loadBalancer
platform.powervc.controlPlanePort: fixedIPs network
platform.powervc.controlPlanePort.fixedIPs: subnet
platform.powervc.controlPlanePort.fixedIPs.subnet: id name
platform.powervc.controlPlanePort.network: id name
platform.powervc.loadBalancer: type
platform.powervs: clusterOSImage defaultMachinePlatform powervsResourceGroup region serviceEndpoints serviceInstanceGUID
  tgName userID vpcName vpcRegion vpcSubnets zone
platform.powervs.serviceEndpoints: name url
platform.vsphere: apiVIP apiVIPs cluster clusterOSImage datacenter defaultDatastore defaultMachinePlatform diskType
  dnsRecordsType failureDomains folder hosts ingressVIP ingressVIPs loadBalancer network nodeNetworking password
  resourcePool username vCenter vcenters
platform.vsphere.failureDomains: name region regionType server topology zone zoneType
platform.vsphere.failureDomains.topology: computeCluster datacenter datastore folder hostGroup networks resourcePool
  tagIDs template
platform.vsphere.hosts: failureDomain networkDevice role
platform.vsphere.hosts.networkDevice: gateway ipAddrs nameservers
platform.vsphere.loadBalancer: type
platform.vsphere.nodeNetworking: external internal
platform.vsphere.nodeNetworking.external: excludeNetworkSubnetCidr network networkSubnetCidr
platform.vsphere.nodeNetworking.internal: excludeNetworkSubnetCidr network networkSubnetCidr
platform.vsphere.vcenters: datacenters password port server user
proxy: httpProxy httpsProxy noProxy
"""
"""The fields of each object, by its path: those of 4.22 and 5.0 together. Objects without a row have any field.

Written by tools/install_config_fields.py from the CRD that the installer generates from its types
(openshift/installer:data/data/install.openshift.io_installconfigs.yaml), at the commits 435db5ebe (4.22) and 5f2b0d3dc
of 2026-08-01 (5.0). The platforms and the fields of ``capabilities`` are checked with other tables.
"""

_REMOVED = {
    "compute.platform": "alibabacloud libvirt",
    "compute.platform.openstack": "failureDomains",
    "platform.aws": "experimentalPropagateUserTags",
    "platform.gcp": "createFirewallRules licenses privateDNSZone publicDNSZone",
    "platform.powervs": "cloudConnectionName pvsNetworkName serviceInstanceID subnets vpc",
}
"""The fields that 4.11 to 4.13 have in addition. Source: the same CRD at the commits above."""

_METADATA = (
    "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName generation "
    "labels managedFields name namespace ownerReferences resourceVersion selfLink uid"
)
"""Source: kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go ObjectMeta."""


@cache
def fields_of(path: str, *, with_removed: bool = False) -> Mapping[str, str] | None:
    """The fields of the object at ``path``, by their names in lower case, ``None`` if it can have any field.

    ``with_removed``: also those that only 4.11 to 4.13 have.
    """
    names = _rows().get(path)
    if names is not None and with_removed:
        names = f"{names} {_REMOVED.get(path, '')}"
    return None if names is None else {name.lower(): name for name in names.split()}


def rejects_unknown_fields(minor: Minor) -> bool:
    """Whether the installer of a minor rejects an install-config with an unknown field."""
    first, last = UNKNOWN_FIELDS_IGNORED
    return not first <= minor <= last


def path_of(parent: str, field: str) -> str:
    """The path of the row for ``field`` of the object at ``parent``. Machine pools have one type."""
    if field == "defaultMachinePlatform":
        return f"compute.{parent}"
    return f"{parent}.{field}" if parent else "compute" if field in ("controlPlane", "arbiter") else field


@cache
def _rows() -> Mapping[str, str]:
    lines = _TABLE.replace("\n  ", " ").splitlines()
    return {"metadata": _METADATA, **{path: names for path, _colon, names in (line.partition(":") for line in lines)}}
