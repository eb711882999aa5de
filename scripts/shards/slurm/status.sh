#!/usr/bin/env bash
# For Snakemake: what became of a job of Slurm. Without it a job that Slurm kills would be waited for for ever.
state=$(scontrol show job --oneliner "$1" 2>/dev/null | grep -o 'JobState=[A-Z_]*' | cut -d= -f2)
[ -n "$state" ] || state=$(sacct --jobs "$1" --noheader --allocations --format State 2>/dev/null | awk '{print $1; exit}')
case "$state" in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | RESIZING | STAGE_OUT) echo running ;;
  *) echo failed ;;
esac
