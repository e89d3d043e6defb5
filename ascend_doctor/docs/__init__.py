"""The generated part of ``docs/``: ``python -m ascend_doctor.docs docs`` writes all of it.

One module a kind of page; each returns pages as ``path → text`` and reads no clock, no locale and
no network, so that the same state of ``patterns/`` and of the commands gives the same bytes. A
checkout has it, a wheel does not: nothing else imports it.
"""
