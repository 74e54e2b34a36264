"""The report of a run as a page: one file that a browser opens without a network."""

from bluke.arena.report.page import make_report
from bluke.arena.report.places import Places
from bluke.arena.report.write import try_report, write_report

__all__ = ["Places", "make_report", "try_report", "write_report"]
