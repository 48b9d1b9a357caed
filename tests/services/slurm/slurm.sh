#!/bin/sh
# slurm.sh COMMAND: runs the command while a Slurm of one node runs here, with ports and a key of its own. For root.
set -eu
PATH=$PATH:/usr/sbin:/sbin
folder=$(mktemp -d)
chmod 755 "$folder"
stop() {
  for daemon in slurmd slurmctld munged; do
    if [ -f "$folder/$daemon.pid" ]; then kill "$(cat "$folder/$daemon.pid")" || true; fi
  done
  sleep 1
  rm -rf "$folder"
}
trap stop EXIT
mkdir "$folder/state" "$folder/spool"
name=$(hostname -s)
cat > "$folder/slurm.conf" <<END
ClusterName=aspen
SlurmctldHost=$name(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.sock
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=1000,bf_interval=1
NodeName=$name NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
head -c 1024 /dev/urandom > "$folder/munge.key"
chmod 600 "$folder/munge.key"
munged --socket="$folder/munge.sock" --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
  --seed-file="$folder/munged.seed" --force
export SLURM_CONF="$folder/slurm.conf"
slurmctld -c
slurmd -c
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  if sinfo -h -o %T 2> /dev/null | grep -q idle; then break; fi
  sleep 0.5
done
sh -c "$1"
