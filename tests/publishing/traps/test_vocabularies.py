from analysis.records import Finding
from tests.publishing.traps.conftest import Found

CODE = "vocabularies-differ"


def test_what_the_audit_found_is_said_before_a_push(found: Found) -> None:
    differs = Finding("warning", "vocabulary-differs", "campaign", "d has 5 tokens and t 6")
    other = Finding("warning", "file-contradicts", "campaign", "license is 'mit'")
    assert found(code=CODE, findings=(other, differs)) == ["d has 5 tokens and t 6"]
    assert found(code=CODE, findings=(other,)) == []
