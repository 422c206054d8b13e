"""Why a benchmark falls short of its goal: the measured reason, in a few words; shown beside its ratios."""

NOTES: dict[str, str] = {}
