#!/bin/sh
# The first process of a node, started in fresh mount, network and UTS namespaces: gives the node directories of its own, then holds the namespaces.
# usage: node-init.sh NAME DIRECTORY
set -eu
name=$1
directory=$2

hostname "$name"
for place in run var/lib/kubelet var/lib/containerd var/lib/cni var/log/pods var/log/containers etc/cni; do
  mkdir -p "/$place" "$directory/$place"
done
# /run comes last: what is below it cannot be reached any more afterwards.
for place in var/lib/kubelet var/lib/containerd var/lib/cni var/log/pods var/log/containers etc/cni run; do
  mount --bind "$directory/$place" "/$place"
done
# The kubelet needs its volumes to appear inside containers. The namespace was made with private mounts, so nothing reaches the machine.
mount --make-rshared /
touch "$directory/initialized"
exec sleep infinity
