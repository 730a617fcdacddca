"""ES|QL, the piped language of Elasticsearch, read into our tree."""
