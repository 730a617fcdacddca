"""The APIs that programs read other stores with, such as data sources of Grafana, answered by our search."""
