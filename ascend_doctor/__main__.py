"""``ascend-doctor``, and ``python -m ascend_doctor``."""

import sys


def main() -> None:
    """Run a command; Ctrl-C before it has begun ends it as it does later.

    Click's own exit code for that is 1, which is a finding here.
    """
    try:
        import click

        from ascend_doctor.cli import main as commands

        try:
            code = commands(prog_name="ascend-doctor", standalone_mode=False)
        except click.Abort:
            raise KeyboardInterrupt from None
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        code = 2
    sys.exit(code)


if __name__ == "__main__":
    main()
