"""The same exploration on many machines: pieces of it go to the workers of a dask cluster, each counts once.

`distributed` is imported when a cluster is used and not before."""
