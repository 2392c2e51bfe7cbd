#include "explore/reporter_impl.hpp"

#include "graph/commit_graph.hpp"
#include "graph/graph.hpp"
#include "graph/split_graph.hpp"

namespace fencepost {

template class Reporter<Graph<1>>;
template class Reporter<Graph<2>>;
template class Reporter<Graph<8>>;
template class Reporter<Graph<many>>;
template class Reporter<SplitGraph<1>>;
template class Reporter<SplitGraph<2>>;
template class Reporter<SplitGraph<8>>;
template class Reporter<SplitGraph<many>>;
template class Reporter<CommitGraph<many>>;

} // namespace fencepost
