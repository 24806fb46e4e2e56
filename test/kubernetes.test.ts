import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { loadConfig } from '#platform/config.ts'
import { MAX_DRAIN_MS } from '../src/apps/boot.ts'

// The example is applied nowhere here. It is held against what the code does: ports, paths, settings, times and memory.

type Probe = {
  httpGet: { path: string; port: string }
  periodSeconds: number
  timeoutSeconds: number
  failureThreshold: number
}
type Container = {
  name: string
  image: string
  args: string[]
  env: { name: string; value: string }[]
  envFrom: ({ configMapRef: { name: string } } | { secretRef: { name: string } })[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  lifecycle?: { preStop: { exec: { command: string[] } } }
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  securityContext: object
  volumeMounts: { mountPath: string; name: string }[]
}
type Pod = {
  automountServiceAccountToken: boolean
  terminationGracePeriodSeconds?: number
  securityContext: object
  containers: Container[]
}
type Labels = Record<string, string>
type Thing = {
  apiVersion: string
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  stringData?: Record<string, string>
  resources?: string[]
  spec: {
    replicas?: number
    selector?: { matchLabels?: Labels } & Labels
    podSelector?: { matchLabels: Labels }
    ports?: { targetPort: string }[]
    ingress?: { ports: { port: string }[] }[]
    maxUnavailable?: number
    scaleTargetRef?: { kind: string; name: string }
    strategy?: { rollingUpdate: { maxUnavailable: number; maxSurge: number } }
    template: { metadata: { labels: Labels; annotations?: Labels }; spec: Pod }
  }
}

const FOLDER = 'deploy/kubernetes'
const files = globSync(`${FOLDER}/**/*.yaml`)
const things = files.flatMap((file) =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    assert.deepEqual(document.errors, [], file)
    return document.toJS() as Thing
  }),
)
const all = (kind: string) => things.filter((thing) => thing.kind === kind)
const one = (kind: string, name: string) => {
  const found = all(kind).find(({ metadata }) => metadata.name === name)
  assert.ok(found, `${kind} ${name}`)
  return found
}
const workloads = [...all('Deployment'), ...all('Job')]
const podOf = ({ spec }: Thing): Pod => spec.template.spec
const containerOf = (thing: Thing): Container => {
  const [container, ...others] = podOf(thing).containers
  assert.ok(container && others.length === 0)
  return container
}
const api = one('Deployment', 'kontor-api')
const worker = one('Deployment', 'kontor-worker')

/** What the image sets, for those who do not. */
const dockerfile = readFileSync('Dockerfile', 'utf8')
const imageEnv = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (HOST=0\.0\.0\.0 PORT.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=') as [string, string]),
  ),
)

test('every file is named by its kustomization, or says why not; kinds and versions are those of Kubernetes', () => {
  const named = all('Kustomization').flatMap(({ resources = [] }) => resources)
  const unnamed = files
    .map((file) => file.split('/').at(-1) ?? '')
    .filter((name) => name !== 'kustomization.yaml' && !named.includes(name))
  assert.deepEqual(unnamed.toSorted(), ['autoscale.yaml', 'secret.example.yaml'])
  assert.deepEqual([...new Set(things.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))].toSorted(), [
    'apps/v1 Deployment',
    'autoscaling/v2 HorizontalPodAutoscaler',
    'batch/v1 Job',
    'kustomize.config.k8s.io/v1beta1 Kustomization',
    'networking.k8s.io/v1 NetworkPolicy',
    'policy/v1 PodDisruptionBudget',
    'v1 ConfigMap',
    'v1 Namespace',
    'v1 Secret',
    'v1 Service',
  ])
})

test('its settings, with the secrets filled in, are such that every process starts', () => {
  const settings = one('ConfigMap', 'kontor').data ?? {}
  const secrets = one('Secret', 'kontor').stringData ?? {}
  const filled = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, value || 'x']))
  const key = Buffer.alloc(32, 'x').toString('base64')
  const config = loadConfig({ ...imageEnv, ...settings, ...filled, SECRET_KEY: key })
  assert.equal(config.mode, 'production')
  assert.deepEqual(
    [config.host, config.port, config.metricsPort, config.workerMetricsPort],
    ['0.0.0.0', 3000, 9464, 9464],
  )
  const known = readFileSync('.env.example', 'utf8')
  for (const name of [...Object.keys(settings), ...Object.keys(secrets)])
    assert.match(known, new RegExp(`^#?${name}=`, 'm'), name)
  for (const thing of workloads)
    assert.deepEqual(containerOf(thing).envFrom, [
      { configMapRef: { name: 'kontor' } },
      { secretRef: { name: 'kontor' } },
    ])
})

test('commands, ports and paths are those of the programs', () => {
  assert.deepEqual(Object.fromEntries(workloads.map((thing) => [thing.metadata.name, containerOf(thing).args])), {
    'kontor-api': ['api'],
    'kontor-worker': ['worker'],
    'kontor-migrate': ['cli', 'migrate'],
  })
  const portsOf = (thing: Thing) => containerOf(thing).ports?.map((port) => [port.name, String(port.containerPort)])
  assert.deepEqual(portsOf(api), [
    ['http', imageEnv.PORT],
    ['metrics', imageEnv.METRICS_PORT],
  ])
  assert.deepEqual(portsOf(worker), [['metrics', imageEnv.WORKER_METRICS_PORT]])
  const routes = readFileSync('src/platform/http/health-operations.ts', 'utf8')
  const onMetricsPort = readFileSync('src/platform/observability/metrics.ts', 'utf8')
  for (const thing of [api, worker])
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const { path, port } = containerOf(thing)[probe]?.httpGet ?? { path: '', port: '' }
      assert.ok((port === 'http' ? routes : onMetricsPort).includes(`'${path}'`), `${probe} ${path} ${port}`)
    }
  assert.equal(containerOf(api).readinessProbe?.httpGet.path, '/readyz')
  for (const { spec } of all('Service'))
    assert.deepEqual(
      spec.ports?.map(({ targetPort }) => targetPort),
      ['http'],
    )
  for (const { spec } of all('NetworkPolicy'))
    for (const { ports } of spec.ingress ?? [])
      for (const { port } of ports) assert.ok(['http', 'metrics'].includes(port))
  for (const thing of [api, worker])
    assert.equal(thing.spec.template.metadata.annotations?.['prometheus.io/port'], imageEnv.METRICS_PORT)
})

test('a process is killed only after it had the time to end what is under way', () => {
  const drainSeconds = MAX_DRAIN_MS / 1000
  for (const thing of [api, worker]) {
    const { lifecycle } = containerOf(thing)
    const [word = 'sleep', seconds = '0'] = lifecycle?.preStop.exec.command ?? []
    assert.equal(word, 'sleep')
    const grace = podOf(thing).terminationGracePeriodSeconds ?? 30
    assert.ok(grace >= Number(seconds) + drainSeconds + 5, `${thing.metadata.name}: ${grace} s`)
  }
  const { periodSeconds = 0, failureThreshold = 0 } = containerOf(api).readinessProbe ?? {}
  const [, sleep] = containerOf(api).lifecycle?.preStop.exec.command ?? []
  assert.ok(Number(sleep) > periodSeconds * failureThreshold, 'nobody sends requests any more when it begins to stop')
})

test('a slow moment kills nobody, and one that does nothing is noticed within two minutes', () => {
  for (const thing of [api, worker]) {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(thing)
    assert.ok(startupProbe && livenessProbe && readinessProbe)
    const until = (probe: Probe) => probe.periodSeconds * probe.failureThreshold
    assert.ok(until(startupProbe) >= 60)
    assert.ok(until(livenessProbe) >= 60 && until(livenessProbe) <= 120)
    assert.ok(livenessProbe.timeoutSeconds >= 5)
    assert.notEqual(livenessProbe.httpGet.path, '/readyz', 'a database that is away is mended by no restart')
    for (const probe of [startupProbe, readinessProbe]) assert.ok(probe.timeoutSeconds >= 2)
  }
})

test('nothing runs as root, writes outside of /tmp, or may more than a process without rights', () => {
  for (const thing of workloads) {
    const pod = podOf(thing)
    const { securityContext, volumeMounts } = containerOf(thing)
    assert.deepEqual(pod.securityContext, {
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(pod.automountServiceAccountToken, false)
    assert.deepEqual(volumeMounts, [{ name: 'tmp', mountPath: '/tmp' }])
  }
  assert.match(dockerfile, /^USER node$/m)
})

test('the heap leaves room within the limit for what is outside of it', () => {
  const mebibytes = (text = '') => Number.parseInt(text, 10) * (text.endsWith('Gi') ? 1024 : 1)
  for (const thing of workloads) {
    const { env, resources } = containerOf(thing)
    const option = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? ''
    const heap = Number(/^--max-old-space-size=(\d+)$/.exec(option)?.[1])
    const limit = mebibytes(resources.limits.memory)
    assert.ok(heap > 0 && heap <= (limit * 2) / 3, `${thing.metadata.name}: ${heap} of ${limit} MiB`)
    assert.ok(mebibytes(resources.requests.memory) <= limit)
    assert.ok(mebibytes(resources.requests.memory) >= 180, 'as much as it has from the beginning')
    assert.equal(resources.limits.cpu, undefined, 'a limit would slow down what it is meant to protect')
  }
})

test('while it is rolled out, or nodes are emptied, somebody is always there', () => {
  for (const thing of [api, worker]) {
    const { replicas = 1, selector, template } = thing.spec
    assert.ok(replicas >= 2)
    assert.deepEqual(template.metadata.labels, selector?.matchLabels)
    const budget = one('PodDisruptionBudget', thing.metadata.name)
    assert.deepEqual(budget.spec.selector?.matchLabels, selector?.matchLabels)
    assert.ok((budget.spec.maxUnavailable ?? replicas) < replicas)
  }
  assert.equal(api.spec.strategy?.rollingUpdate.maxUnavailable, 0)
  assert.deepEqual(one('Service', 'kontor-api').spec.selector, api.spec.selector?.matchLabels)
  const { scaleTargetRef } = one('HorizontalPodAutoscaler', 'kontor-api').spec
  assert.deepEqual([scaleTargetRef?.kind, scaleTargetRef?.name], ['Deployment', 'kontor-api'])
  for (const { spec } of all('NetworkPolicy'))
    for (const [name, value] of Object.entries(spec.podSelector?.matchLabels ?? {}))
      assert.ok(
        workloads.some(({ spec: { template } }) => template.metadata.labels[name] === value),
        name,
      )
})
