#!/usr/bin/env bash
# For Snakemake: what became of a job of Slurm. Without it a job that Slurm kills would be waited for for ever. A job
# has failed if Slurm says that it ended without success (https://slurm.schedmd.com/job_state_codes.html), or knows it no
# more; in every other state it lives, or may be run again: a second one beside it would do harm. So where nothing answers.
said=$(scontrol show job --oneliner "$1" 2>&1)
state=$(grep -o 'JobState=[A-Z_]*' <<<"$said" | cut -d= -f2)
[ -n "$state" ] || state=$(sacct --jobs "$1" --noheader --allocations --format State%30 2>/dev/null | awk '{print $1; exit}')
case "${state:-$said}" in
  COMPLETED) echo success ;;
  BOOT_FAIL | CANCELLED | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | REVOKED | TIMEOUT) echo failed ;;
  *"Invalid job id"*) echo failed ;;
  *) echo running ;;
esac
