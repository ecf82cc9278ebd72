# Varnish in front of the BFF. Fill in the two names (`envsubst`, or by hand):
#   PULSE_BFF_HOST, PULSE_BFF_PORT
# On the BFF set TRUST_PROXY=1.
vcl 4.1;

import std;

backend bff {
  .host = "${PULSE_BFF_HOST}";
  .port = "${PULSE_BFF_PORT}";
  .probe = { .url = "/healthz"; .interval = 1s; .timeout = 1s; .window = 3; .threshold = 2; .initial = 2; }
}

sub vcl_recv {
  # What the BFF never reads must not be able to tell two visitors apart.
  unset req.http.Cookie;
  unset req.http.X-Forwarded-Host;
  unset req.http.X-Forwarded-Proto;
  if (req.method != "GET" && req.method != "HEAD") { return (pass); }
  # A stream to each reader, and what is meant for one reader alone: nothing to keep, nobody waits for another.
  if (req.url ~ "^/v1/events" || req.http.Authorization) { return (pass); }
  # While the BFF is well an old answer is used only as long as the BFF lets it be used during a new fetch.
  if (std.healthy(req.backend_hint)) { set req.grace = 30s; }
  return (hash);
}

sub vcl_hash {
  hash_data(req.url);
  return (lookup);
}

sub vcl_backend_fetch {
  set bereq.http.Host = "${PULSE_BFF_HOST}:${PULSE_BFF_PORT}";
}

sub vcl_backend_response {
  # A failure behind a reader's back must not take the place of a good answer.
  if (bereq.is_bgfetch && beresp.status >= 500) { return (abandon); }
  # How long this cache, not a browser, may use the answer: CDN-Cache-Control (RFC 9213), less the age it came with.
  if (beresp.status == 200 && beresp.http.CDN-Cache-Control ~ "max-age=[0-9]+") {
    set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, ".*max-age=([0-9]+).*", "\1s"), 0s)
      - std.duration(regsub(beresp.http.Age, "^([0-9]+)$", "\1s"), 0s);
  }
  # Varnish knows max-age and stale-while-revalidate; this is stale-if-error (RFC 5861, 4).
  if (beresp.status == 200 && beresp.http.Cache-Control ~ "stale-if-error=[0-9]+") {
    set beresp.grace = std.duration(regsub(beresp.http.Cache-Control, ".*stale-if-error=([0-9]+).*", "\1s"), 30s);
  }
}

sub vcl_deliver {
  set resp.http.X-Cache = "MISS";
  if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; }
}
