"""scripts/shards/slurm/status.sh with a scontrol and a sacct that stand in for Slurm's: what it takes each state for.

    slurm_status_test.py SOURCE WORK
"""

import os
import pathlib
import shutil
import subprocess
import sys

FAILED = "BOOT_FAIL CANCELLED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED REVOKED TIMEOUT".split()
RUNNING = """COMPLETING CONFIGURING EXPEDITING LAUNCH_FAILED PENDING POWER_UP_NODE RECONFIG_FAIL REQUEUED REQUEUE_FED REQUEUE_HOLD
    RESIZING RESV_DEL_HOLD RUNNING SIGNALING SPECIAL_EXIT STAGE_OUT STOPPED SUSPENDED UPDATE_DB OF_A_LATER_VERSION""".split()


def main():
    source, work = (pathlib.Path(word) for word in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    def status(scontrol, sacct=""):
        # As Slurm's, sacct cuts a state to the width that is asked for, 10 unless told.
        cut = 'for word; do case $word in *%*) width=${{word#*%}} ;; esac; done; printf "%.${{width:-10}}s\\n" "{0}"'
        for name, lines in (("scontrol", f'echo "{scontrol}"'), ("sacct", cut.format(sacct) if sacct else "exit 1")):
            (work / name).write_text(f"#!/bin/bash\n{lines}\n")
            (work / name).chmod(0o755)
        environment = dict(os.environ, PATH=f"{work}:{os.environ['PATH']}")
        told = subprocess.run([source / "scripts/shards/slurm/status.sh", "7"], env=environment, capture_output=True, text=True)
        return told.stdout.strip()

    gone = "slurm_load_jobs error: Invalid job id specified"
    cases = [("COMPLETED", "success")] + [(state, "failed") for state in FAILED] + [(state, "running") for state in RUNNING]
    wrong = [f"{state} {where}: {said}, not {expected}" for state, expected in cases
             for where, said in (("of scontrol", status(f"JobId=7 JobState={state} Reason=None")), ("of sacct", status(gone, state)))
             if said != expected]
    for said, expected in ((status(gone, "CANCELLED by 1000"), "failed"), (status(gone), "failed"),
                           (status("slurm_load_jobs error: Unable to contact slurm controller"), "running")):
        wrong += [] if said == expected else [f"{said}, not {expected}"]
    if wrong:
        sys.exit("status.sh: " + "; ".join(wrong))


main()
