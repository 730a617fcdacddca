"""ES|QL, the piped language of Elasticsearch, translated to our syntax tree."""
