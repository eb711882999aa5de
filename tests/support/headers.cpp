// The source that the precompiled headers of the tests belong to; it has nothing of its own.
