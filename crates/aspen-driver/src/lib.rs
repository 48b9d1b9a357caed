//! aspen++: arguments, job graph, embedding, rendering of diagnostics.
