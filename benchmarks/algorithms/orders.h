/* ORDER: seq_cst where nothing is said; acq_rel makes stores release and loads acquire; rlx makes all relaxed. */
#ifndef ORDERS_H
#define ORDERS_H
#ifndef ORDER
#define ORDER sc
#endif
#define LOAD (ORDER == acq_rel ? acq : ORDER)
#define STORE (ORDER == acq_rel ? rel : ORDER)
#endif
