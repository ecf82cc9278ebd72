/** Values that are too long to be ids, each in a different way. */
const LONG = ['x'.repeat(129), 'x'.repeat(4_000), '%41'.repeat(129), '.'.repeat(200), '%2e'.repeat(64)];

/** Path segments that are sent instead of a source id. None is an id. */
export const hostileIds: readonly string[] = `
. .. ... .src_1 ..src_1 %2e %2e%2e %2E%2E .%2e %2e. %2E. %252e%252e ..%2f ..%2F..%2Fopenapi.yaml
%2e%2e%2f%2e%2e%2fadmin ..%5c ..%255c %5c%5cevil.test %2f%2fevil.test a%2fb a%2Fb src_1%2f %2fsrc_1 a%5cb
src_1%2fpulse src_1%2f..%2fsrc_2 %2f %5c %2f%2f %00 src_1%00 %00src_1 src_1%00.png a%0d%0aX-Evil:%201
a%0aSet-Cookie:%20x %0d %0a %09 %20 src_1%20 %20src_1 src%201 src_1+1 src_1%2b src_1;x=1 src_1%3bx src_1%3f
src_1%23 src_1%26a=1 src_1%3fa=1 src_1%23frag src_1.%2fcss src_1%3b.css @evil.test user@evil.test
user:pass@evil.test https:%2f%2fevil.test http: javascript:alert(1) data:text,x file:%2f%2f%2fetc%2fpasswd
%2fetc%2fpasswd %ff %fe%ff %c0%ae%c0%ae %c0%af %e0%80%af %ed%a0%80 %ed%b0%80 %f4%90%80%80 %E0%A4%A % %% %2 %zz
%u002e src_1% %EF%BC%8E%EF%BC%8E %E2%80%A5 %E2%80%AE %E2%80%8B src%E2%80%8B_1 %EF%BB%BFsrc_1 %C3%A9 e%CC%81
%F0%9F%98%80 %D8%A7 %E2%80%A8 %E2%80%A9 %C2%85 %7f %1b%5b2J %1b %07 %3Cscript%3E %3Cimg%20src=x%3E %22%3E %27
%27%20OR%201=1-- %22 %60 %24%7Bjndi:ldap:%2f%2fx%7D %7B%7B7*7%7D%7D $where %7B%22$ne%22:1%7D %5B%5D a%5B%5D=1
* src_* %2a ! src_1! (src_1) a,b src_1,src_2 a%2cb a=b a&b a:b src:1 a|b a%7cb %7cid %60id%60 $(id) %24(id)
src_1%20HTTP%2f1.1 ' %5e %3c %3e %2523
`
  .trim()
  .split(/\s+/)
  .concat(LONG);
