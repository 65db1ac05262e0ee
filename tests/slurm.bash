# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# A Slurm of a test's own: munged, slurmctld and several slurmd of one host, all on the loopback, with a key, sockets,
# ports and a configuration in a folder of the test. It ends with the test.

# need_slurm: skips where there is none, or where this user cannot start one.
need_slurm() {
	PATH=$PATH:/usr/sbin:/sbin
	need slurmctld slurmd sbatch squeue munged
	[ "$(id -u)" -eq 0 ] || skip "slurmd starts jobs as root alone"
	[ -z "${SLURM_JOB_ID:-}" ] || skip "inside a job of another Slurm"
}

# start_slurm FOLDER COUNT: nodes n1 … nCOUNT of one processor each, all up; the first half has the feature big, the others
# small. Fails with a log where they are not.
start_slurm() {
	slurm=$1
	local count=$2 port=$((20000 + $$ % 20000)) i
	mkdir -p "$slurm"/{state,spool,log}
	chmod 755 "$slurm"
	export SLURM_CONF="$slurm/slurm.conf"
	dd if=/dev/urandom bs=1 count=1024 of="$slurm/munge.key" status=none
	chmod 400 "$slurm/munge.key"
	{
		cat <<-END
			ClusterName=interfero
			SlurmctldHost=localhost(127.0.0.1)
			SlurmctldPort=$port
			SlurmUser=root
			AuthType=auth/munge
			AuthInfo=socket=$slurm/munge.socket
			CredType=cred/munge
			StateSaveLocation=$slurm/state
			SlurmdSpoolDir=$slurm/spool/%n
			SlurmctldPidFile=$slurm/slurmctld.pid
			SlurmdPidFile=$slurm/%n.pid
			SlurmctldLogFile=$slurm/log/slurmctld
			SlurmdLogFile=$slurm/log/%n
			ProctrackType=proctrack/linuxproc
			TaskPlugin=task/none
			SwitchType=switch/none
			MpiDefault=none
			SelectType=select/cons_tres
			SelectTypeParameters=CR_Core
			SchedulerParameters=sched_interval=2,batch_sched_delay=0,defer_batch
			JobAcctGatherType=jobacct_gather/none
			SlurmdTimeout=8
			SlurmctldTimeout=8
			BatchStartTimeout=8
			KillWait=1
			MinJobAge=30
			JobRequeue=1
			ReturnToService=2
		END
		for ((i = 1; i <= count; i++)); do
			echo "NodeName=n$i NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=1 State=UNKNOWN" \
				"Feature=$([ $i -le $((count / 2)) ] && echo big || echo small)"
		done
		echo "PartitionName=all Nodes=n[1-$count] Default=YES MaxTime=INFINITE State=UP"
	} >"$slurm/slurm.conf"
	guard_slurm
	munged --force --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" --pid-file="$slurm/munge.pid" \
		--log-file="$slurm/log/munged" --seed-file="$slurm/munge.seed" >"$slurm/log/start" 2>&1 ||
		say "munged: $(cat "$slurm/log/start" "$slurm/log/munged")"
	start_controller
	for ((i = 1; i <= count; i++)); do
		start_node n$i
	done
	await 30 nodes_are_up "$count" || say "nodes do not come up: $(sinfo 2>&1) $(tail -n 5 "$slurm"/log/*)"
}

# guard_slurm: ends the daemons when the test is gone without its teardown, as after a timeout. A session of its own: the
# signal that ends the test and all of its group does not reach the guard.
guard_slurm() {
	# shellcheck disable=SC2016 # the guard expands them
	setsid bash -c '
		owner=$1 slurm=$2 ids=
		trap "" TERM HUP INT
		while kill -0 "$owner" && [ -e "$slurm/slurm.conf" ]; do
			now=$(cat "$slurm"/*.pid) && ids=$now
			sleep 1
		done
		# The folder may be gone by now, but not an id that is still a daemon with that folder.
		for id in $ids; do
			if grep -q -z -x "SLURM_CONF=$slurm/slurm.conf" "/proc/$id/environ"; then kill -9 "$id"; fi
		done
	' guard $$ "$slurm" >/dev/null 2>&1 3>&- &
}

end_daemons() {
	local pid
	for pid in "$slurm"/n*.pid "$slurm/slurmctld.pid" "$slurm/munge.pid"; do
		[ ! -e "$pid" ] || kill_daemon "$(basename "$pid" .pid)"
	done
}

start_controller() {
	slurmctld >>"$slurm/log/start" 2>&1 3>&- || say "slurmctld: $(tail -n 5 "$slurm/log/start" "$slurm/log/slurmctld")"
}

start_node() {
	slurmd -N "$1" >>"$slurm/log/start" 2>&1 3>&- || say "slurmd: $(tail -n 5 "$slurm/log/start" "$slurm/log/$1")"
}

nodes_are_up() {
	[ "$(sinfo -h -N -o %T 2>/dev/null | grep -c -E '^(idle|mixed|allocated)$')" -eq "$1" ]
}

# await SECONDS COMMAND...: runs the command until it succeeds.
await() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}

# kill_daemon NAME: ends the daemon with that file of its process id (slurmctld, n1, …, munge), as a power cut does.
kill_daemon() {
	local id
	id=$(cat "$slurm/$1.pid" 2>/dev/null) || return 0
	# The id may be another's by now.
	if grep -q -a -E 'slurm|munge' "/proc/$id/cmdline" 2>/dev/null; then kill -9 "$id"; fi
	rm -f "$slurm/$1.pid"
}

# kill_node NAME: the node's daemon, its jobs' keepers, and its pieces, in this order: nobody can report anything.
kill_node() {
	local piece
	kill_daemon "$1"
	for piece in $(pgrep -x interfero); do
		if tr '\0' '\n' <"/proc/$piece/environ" 2>/dev/null | grep -q -x "SLURMD_NODENAME=$1" &&
			tr '\0' '\n' <"/proc/$piece/environ" | grep -q -x "SLURM_CONF=$SLURM_CONF"; then
			kill -9 "$(ps -o ppid= -p "$piece")" "$piece" || true
		fi
	done
}

# hurry: requeued jobs wait two minutes, but not here. On a machine so busy that a job takes too long to begin or to end,
# Slurm drains the node until somebody resumes it.
hurry() {
	local job node
	for node in $(sinfo -h -N -t drain -o %N 2>/dev/null); do
		scontrol update "nodename=$node" state=resume 2>/dev/null || true
	done
	for job in $(squeue -h -r -t PENDING -o '%i %r' 2>/dev/null | sed -n 's/ BeginTime$//p'); do
		scontrol update "jobid=$job" starttime=now 2>/dev/null || true
	done
}

stop_slurm() {
	[ -n "${slurm:-}" ] || return 0
	scancel -u root 2>/dev/null || true
	end_daemons
	rm -f "$slurm/slurm.conf"
	unset SLURM_CONF
}
