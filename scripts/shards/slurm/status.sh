#!/usr/bin/env bash
# For Snakemake: what became of a job of Slurm. Without it a job that Slurm kills would be waited for for ever. A job
# has failed if Slurm says so, or knows it no more; where nothing answers, it may well run on.
said=$(scontrol show job --oneliner "$1" 2>&1)
state=$(grep -o 'JobState=[A-Z_]*' <<<"$said" | cut -d= -f2)
[ -n "$state" ] || state=$(sacct --jobs "$1" --noheader --allocations --format State 2>/dev/null | awk '{print $1; exit}')
case "${state:-$said}" in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | RESIZING | STAGE_OUT) echo running ;;
  *"Invalid job id"*) echo failed ;;
  *) [ -n "$state" ] && echo failed || echo running ;;
esac
