import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { configSchema, readConfig } from '@pulse-card/bff/config';
import { ROOT } from '@pulse-card/testkit/root';
import { ask } from '@pulse-card/testkit/system/ask';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

interface Pod {
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly {
    readonly image: string;
    readonly env?: readonly Variable[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
    readonly securityContext: object;
    readonly resources: {
      readonly requests: { readonly memory: string };
      readonly limits: { readonly memory: string };
    };
    readonly startupProbe?: Probe;
    readonly readinessProbe: Probe;
    readonly livenessProbe: Probe;
  }[];
  readonly volumes: readonly { readonly name: string; readonly secret?: object }[];
  readonly securityContext: { readonly runAsUser: number; readonly fsGroup: number };
}

const FILES = ['bff.yaml', 'redis.yaml', 'pod-monitor.yaml', 'ingress.yaml'];
const manifests = FILES.flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest));
const kustomization = parse(read('kustomization.yaml')) as {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly name: string; readonly literals: readonly string[] }[];
};
const bff = podOf('pulse-card');
const [container] = bff.containers;

describe('deploy/kubernetes/', () => {
  it('has alerts that the command in docs/operate/monitor.md turns into a valid PrometheusRule', () => {
    const guide = readFileSync(join(ROOT, 'docs/operate/monitor.md'), 'utf8');
    const [, commands = ''] = /```sh\n(kubectl apply[^]*?)```/.exec(guide) ?? [];
    // Runs the commands with a `kubectl` that prints the manifest that the last command applies.
    const { stdout } = ask('bash', ['-c', `kubectl() { [ "$3" != - ] || cat; }\n${commands}`]);
    const { groups } = parse(readFileSync(join(ROOT, 'deploy/monitoring/alerts.yml'), 'utf8')) as { groups: object };
    const made = parse(stdout) as { kind: string; spec: object };
    assert.deepEqual([made.kind, made.spec], ['PrometheusRule', { groups }]);
  });

  it('can be applied as a folder, which leaves out the monitor and the Ingress example', () => {
    assert.deepEqual(kustomization.resources, ['bff.yaml', 'redis.yaml']);
  });

  it('has Services, budgets, policies, and monitors that select only existing pods', () => {
    const labels = new Set(manifests.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name));
    const selected = JSON.stringify(manifests).matchAll(/"app\.kubernetes\.io\/name":"([^"]+)"/g);
    assert.deepEqual(new Set(Array.from(selected, ([, name]) => name)), labels);
  });

  it('pins each image to a version', () => {
    for (const { containers } of [bff, podOf('pulse-card-redis')])
      for (const { image } of containers) assert.match(image, /:(?!latest$)[\w.-]+$/);
    assert.match(read('kustomization.yaml'), /newTag: (?!latest)\S/);
  });

  it('has an Ingress that routes the public host to one of the Service’s ports', () => {
    const ingress = JSON.stringify(manifests.find(({ kind }) => kind === 'Ingress')?.spec);
    assert.ok(ingress.includes('"service":{"name":"pulse-card","port":{"name":"http"}}'));
    const publicUrl = kustomization.configMapGenerator[0]?.literals.find((text) => text.startsWith('PULSE_PUBLIC_URL'));
    assert.ok(ingress.includes(`"host":"${new URL(publicUrl?.split('=')[1] ?? '').host}"`));
  });

  it('limits each pod’s connections', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
    for (const { policyTypes } of policies) assert.deepEqual(policyTypes, ['Ingress', 'Egress']);
    const [ofBff, ofRedis] = policies.map(({ egress }) => egress);
    assert.deepEqual(ofRedis, []);
    const ports = (ofBff as { ports: { port: number }[] }[]).flatMap((rule) => rule.ports.map(({ port }) => port));
    assert.deepEqual(ports, [53, 53, 6379, 443]);
    assert.ok(JSON.stringify(ofBff).includes('169.254.0.0/16'));
  });

  it('doesn’t give a container unnecessary permissions', () => {
    for (const { containers } of [bff, podOf('pulse-card-redis')])
      for (const { securityContext, resources } of containers) {
        const confined = {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        };
        assert.deepEqual(securityContext, confined);
        assert.ok(resources.limits.memory && resources.requests.memory);
      }
  });
});

describe('The BFF’s pod', () => {
  /** The values that the commands in kustomization.yaml put into the Secret. */
  const secret = { 'redis-url': 'redis://pulse-card-redis:6379', 'alert-url': 'https://hooks.example.com/x' };
  const own = Object.fromEntries(
    (container?.env ?? []).map(({ name, value, valueFrom }) => [
      name,
      value ?? secret[valueFrom?.secretKeyRef.key as keyof typeof secret],
    ]),
  );
  const literals = kustomization.configMapGenerator[0]?.literals ?? [];
  const common = Object.fromEntries(literals.map((literal) => literal.split('=', 2) as [string, string]));

  it('has a configuration that the BFF accepts and that trusts the proxy in front of it', () => {
    const known = new Set(Object.keys(configSchema.shape));
    assert.deepEqual(
      Object.keys({ ...own, ...common }).filter((name) => !known.has(name)),
      [],
    );
    const config = readConfig({ ...common, ...own });
    assert.notEqual(config.trustProxy, 0);
    assert.deepEqual(
      container?.ports.map(({ containerPort }) => containerPort),
      [config.port, config.adminPort],
    );
  });

  it('runs as the image’s user, which owns the state and the key', () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    assert.ok(dockerfile.includes(`USER ${bff.securityContext.runAsUser}:${bff.securityContext.fsGroup}`));
    const folder = /PULSE_STATE_DIR=(\S+)/.exec(dockerfile)?.[1];
    assert.ok(container?.volumeMounts.some(({ mountPath }) => mountPath === folder));
  });

  it('mounts the key’s folder, so that a new key appears in the container', () => {
    const key = container?.volumeMounts.find(({ name }) => name === 'key');
    assert.deepEqual([key?.subPath, own['PULSE_API_KEY_FILE']], [undefined, `${key?.mountPath}/pulse-key`]);
    assert.ok(bff.volumes.some(({ name, secret }) => name === 'key' && secret !== undefined));
  });

  it('requests as much memory as a process with 1,000 sources uses', () => {
    const measured = /`load\.memory-1000-sources` \| (\d+) MiB/.exec(read('../../bench/results/load.md'))?.[1];
    const { requests, limits } = container?.resources ?? {};
    const [requested = 0, limit = 0] = [requests, limits].map((resource) =>
      Number.parseInt(resource?.memory ?? '', 10),
    );
    assert.ok(requested >= Number(measured) && limit > requested, `${requested} of ${measured} MiB`);
  });

  it('has readiness and liveness probes for the right routes, on a named port', () => {
    assert.deepEqual(container?.readinessProbe.httpGet, { path: '/readyz', port: 'http' });
    assert.deepEqual(container?.livenessProbe.httpGet, { path: '/healthz', port: 'http' });
  });

  it('uses the Secret from the instructions for URLs that can contain secrets', () => {
    const variables = container?.env?.flatMap(({ name, valueFrom }) =>
      valueFrom ? [[name, valueFrom.secretKeyRef]] : [],
    );
    assert.deepEqual(variables, [
      ['REDIS_URL', { name: 'pulse-card-urls', key: 'redis-url' }],
      ['PULSE_ALERT_URL', { name: 'pulse-card-urls', key: 'alert-url', optional: true }],
    ]);
    assert.match(read('kustomization.yaml'), /create secret generic pulse-card-urls --from-literal=redis-url=redis:/);
  });

  it('has a minute to start and is removed from its Service after three failed probes', () => {
    const { startupProbe, readinessProbe } = container ?? assert.fail();
    assert.deepEqual([readinessProbe.failureThreshold, readinessProbe.timeoutSeconds], [3, 2]);
    assert.deepEqual(startupProbe?.httpGet, { path: '/healthz', port: 'http' });
    assert.equal(startupProbe.failureThreshold, 60);
  });

  it('has no service links and has enough time to drain before it’s killed', () => {
    assert.equal(bff.enableServiceLinks, false);
    // The drain time, plus the additional time for unfinished requests.
    const { drainMs } = readConfig({ ...common, ...own });
    assert.ok((bff.terminationGracePeriodSeconds ?? 0) >= drainMs / 1_000 + 3);
  });
});

function read(file: string): string {
  return readFileSync(join(ROOT, 'deploy/kubernetes', file), 'utf8');
}

function podOf(name: string): Pod {
  const deployment = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  return (deployment!.spec['template'] as { spec: Pod }).spec;
}
