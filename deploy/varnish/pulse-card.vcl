# Varnish as a cache in front of the BFF. Hitch is in front of Varnish and handles HTTPS (hitch.conf). Start Varnish with
#   varnishd -a 127.0.0.1:6086,PROXY -f /etc/varnish/pulse-card.vcl -s malloc,256m
# On the BFF, set TRUST_PROXY=1 and PULSE_PUBLIC_URL=https://pulse.example.com. Behind a CDN, set TRUST_PROXY=2.
vcl 4.1;

import std;

backend bff {
  .host = "127.0.0.1";
  .port = "4020";
  .probe = { .url = "/healthz"; .interval = 1s; .timeout = 1s; .window = 3; .threshold = 2; .initial = 2; }
}

sub vcl_recv {
  # Varnish has added the client's IP address to the end of X-Forwarded-For. TRUST_PROXY counts from that end.
  unset req.http.Cookie;
  unset req.http.X-Forwarded-Host;
  unset req.http.X-Forwarded-Proto;
  if (req.method != "GET" && req.method != "HEAD") { return (pass); }
  # Responses that are meant for one reader are never cached.
  if (req.http.Authorization) { return (pass); }
  # While the BFF is healthy, an expired response is used for at most 30 s. In the meantime, Varnish fetches a new one.
  if (std.healthy(req.backend_hint)) { set req.grace = 30s; }
  return (hash);
}

sub vcl_hash {
  hash_data(req.url);
  return (lookup);
}

sub vcl_backend_fetch {
  set bereq.http.Host = "bff";
}

sub vcl_backend_response {
  # A failed background fetch must not replace a good response.
  if (bereq.is_bgfetch && beresp.status >= 500) { return (abandon); }
  # CDN-Cache-Control (RFC 9213) says how long a shared cache may use the response. The current age of the response is subtracted.
  if (beresp.status == 200 && beresp.http.CDN-Cache-Control ~ "max-age=[0-9]+") {
    set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, ".*max-age=([0-9]+).*", "\1s"), 0s)
      - std.duration(regsub(beresp.http.Age, "^([0-9]+)$", "\1s"), 0s);
  }
  # Varnish supports max-age and stale-while-revalidate. These lines add stale-if-error (RFC 5861, section 4).
  if (beresp.status == 200 && beresp.http.Cache-Control ~ "stale-if-error=[0-9]+") {
    set beresp.grace = std.duration(regsub(beresp.http.Cache-Control, ".*stale-if-error=([0-9]+).*", "\1s"), 30s);
  }
}

sub vcl_deliver {
  set resp.http.X-Cache = "MISS";
  if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; }
}
