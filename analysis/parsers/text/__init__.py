"""What parsers share: documents, prefixes, tables, fields and headings."""
