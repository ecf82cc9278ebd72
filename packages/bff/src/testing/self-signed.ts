import { createServer, type Server } from 'node:https';

/** A self-signed certificate for localhost, 127.0.0.1, and cdn.test. It is valid until 2099. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBozCCAUmgAwIBAgIULt22yAUx2Eje8sdjRE7bT+4aYogwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIY2RuLnRlc3QwIBcNMjYxMTIzMDQxOTM4WhgPMjA5OTEyMzAw
NDE5MzhaMBMxETAPBgNVBAMMCGNkbi50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEUQiu/Ors2tY96rMUslUkEguaaNZBAiHJj1APg0/7szSJpi9iqVuC3yNt
3y2rXUmjNAD0qlOeAIi/kCRGAgqSnKN5MHcwHQYDVR0OBBYEFAGHfmTNPPrKzYvJ
TneCOPrNKLleMB8GA1UdIwQYMBaAFAGHfmTNPPrKzYvJTneCOPrNKLleMA8GA1Ud
EwEB/wQFMAMBAf8wJAYDVR0RBB0wG4IIY2RuLnRlc3SCCWxvY2FsaG9zdIcEfwAA
ATAKBggqhkjOPQQDAgNIADBFAiEAyFzw9Q5KkRoyUGUww4ILGfP+YN0MXPWvu4hE
C9GFDuECIDYmAnkA1bV6+gAtE3SXENqBQGsop2rfB7bF8y2Bzvcj
-----END CERTIFICATE-----
`;

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQlvKZDEWW0eUaUmw
/2JOf4z47gGLeDlzJGkEEwuWjeuhRANCAARRCK786uza1j3qsxSyVSQSC5po1kEC
IcmPUA+DT/uzNImmL2KpW4LfI23fLatdSaM0APSqU54AiL+QJEYCCpKc
-----END PRIVATE KEY-----
`;

/** Creates an HTTPS server with an untrusted certificate. */
export function createSelfSignedServer(): Server {
  return createServer({ cert, key });
}
