//! Empty on purpose: the package exists for its dependencies' files.
