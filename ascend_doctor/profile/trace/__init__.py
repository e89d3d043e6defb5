"""Chrome traces of profilers → what a step was spent on.

``stream`` cuts the JSON into events, ``names`` says what an event is about, ``gather`` keeps what
is needed of all of them in columns, and ``measure`` turns that into ``Measures``. Events may stand
in any order, so nothing is concluded before the last.
"""
