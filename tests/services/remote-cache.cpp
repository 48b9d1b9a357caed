// The store behind the cache on real servers: what one machine compiled, another takes from Redis, S3 and WebDAV, sealed with a secret or not;
// what a server does not do is one warning and no more.
//# also: remote-cache/remote-cache.sh
//# sh: SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/none ASPEN_CACHE_REMOTE=file://$PWD/store aspen-cache-remote --try 2>&1 || echo $?
//# stdout: 1
//# stdout~: ^aspen-cache-remote: error: OpenDAL wants TLS for every store: .*No CA certificates .*ca-certificates
//# sh: sh remote-cache.sh 2>&1
//# count: 3 stdout ^an entry was kept, read and removed$
//# stdout: redis on one: 3 runs
//# stdout: redis on two: 0 runs
//# stdout: s3 on one: 3 runs
//# stdout: s3 on two: 0 runs
//# stdout: webdav on one: 3 runs
//# stdout: webdav on two: 0 runs
//# count: 3 stdout sealed on two: 3 runs
//# count: 3 stdout sealed on one: 0 runs
//# count: 3 stdout was made without a secret, and ASPEN_CACHE_KEY_FILE names one; it is made anew$
//# stdout: full redis on one: 3 runs
//# stdout~: 3 entries were not kept there: .*OOM
//# stdout: redis without password on one: 3 runs
//# stdout~: 27411/3: it says 'NOAUTH .*'; this process goes on without it$
//# count: 1 stdout redis with password on one: 3 runs
//# count: 1 stdout redis with password on two: 0 runs
//# stdout: no bucket on one: 3 runs
//# stdout~: s3://none/.*NoSuchBucket
//# count: 6 stdout warning: ASPEN_CACHE_REMOTE=
#include <sycl/sycl.hpp>
template <int N> class kernel;
template <int N> void launch(sycl::queue &q, int *p) {
  q.single_task<kernel<N>>([=] { p[N] = p[N] * N + 1; });
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  launch<0>(q, p);
  launch<1>(q, p);
  launch<2>(q, p);
}
