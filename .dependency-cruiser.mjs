// The inner walls of the house. Each rule says what it keeps apart and why.

/** Source that ships; tests may reach further. */
const tests = '(\\.(unit|int|contract|acceptance)\\.test\\.ts$|/test/|/acceptance/)';

/** What a service decides, apart from how it is stored and sent. */
const rules = [
  '^services/[^/]+/src/domain/',
  '^services/[^/]+/src/rules\\.ts$',
  '^services/[^/]+/src/[^/]+/rules\\.ts$',
];

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or one of them holds something that belongs elsewhere.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'services-are-strangers',
      comment: 'Services talk over the bus, in the words of libs/contracts, and are deployed one by one.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-know-no-service',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^services/' },
    },
    {
      name: 'contracts-import-only-zod',
      comment: 'Contracts are words: whoever reads them must not inherit I/O.',
      severity: 'error',
      from: { path: '^libs/contracts/src/', pathNot: tests },
      to: { pathNot: ['^libs/contracts/src/', '^node_modules/zod/'] },
    },
    {
      name: 'client-needs-nothing',
      comment: 'It stands outside: what it knows comes from the OpenAPI document, and it runs in browsers.',
      severity: 'error',
      from: { path: '^libs/client/src/', pathNot: tests },
      to: { pathNot: '^libs/client/src/' },
    },
    {
      name: 'import-is-a-client',
      comment: 'It stands outside too: what it can do, any client can.',
      severity: 'error',
      from: { path: '^deploy/import/src/', pathNot: tests },
      to: { path: '^(libs|services|deploy)/', pathNot: '^(deploy/import|libs/(client|contracts))/' },
    },
    {
      name: 'only-bus-imports-nats',
      severity: 'error',
      from: { path: '^(libs|services|deploy)/', pathNot: ['^libs/bus/', tests] },
      to: { path: '^node_modules/(nats|@nats-io)/' },
    },
    {
      name: 'only-db-imports-pg',
      comment: "The reference of the benchmarks stands for somebody else's system.",
      severity: 'error',
      from: { path: '^(libs|services|deploy)/', pathNot: ['^libs/db/', '^deploy/load/src/reference/', tests] },
      to: { path: '^node_modules/pg/' },
    },
    {
      name: 'bus-and-db-are-strangers',
      severity: 'error',
      from: { path: '^libs/(bus|db)/src/', pathNot: tests },
      to: { path: '^libs/(bus|db)/', pathNot: '^libs/$1/' },
    },
    {
      name: 'gateway-has-no-database',
      severity: 'error',
      from: { path: '^services/gateway/src/' },
      to: { path: ['^libs/(db|service)/', '^node_modules/kysely/'] },
    },
    {
      name: 'only-services-import-service',
      comment: 'It runs services with a database out of all other libs, which know nothing of it.',
      severity: 'error',
      from: { path: '^(libs|deploy)/', pathNot: ['^libs/service/', tests] },
      to: { path: '^libs/service/' },
    },
    {
      name: 'telemetry-sees-the-driver-load',
      comment: 'What a process loads before its telemetry has no spans.',
      severity: 'error',
      from: { path: '^libs/service/src/(run|config)\\.ts$' },
      to: {
        path: ['^libs/(bus|db)/', '^libs/service/src/start\\.ts$'],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'rules-do-no-io',
      comment: 'Rules are pure functions; time and ids come in as arguments.',
      severity: 'error',
      from: { path: rules, pathNot: tests },
      to: { pathNot: [...rules, '^libs/contracts/'] },
    },
    {
      name: 'queries-know-no-bus',
      comment: 'A transaction is never open across a bus call.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/(store/|.+(/statements/|[-/]queries\\.ts$))' },
      to: { path: '^libs/bus/' },
    },
    {
      name: 'testkit-stays-in-tests',
      severity: 'error',
      from: { path: '^(libs|services|deploy)/', pathNot: ['^libs/testkit/', tests] },
      to: { path: '^libs/testkit/' },
    },
    {
      name: 'services-start-no-servers',
      comment: 'Tests run the very servers that a newcomer runs; a service finds its own where its environment says.',
      severity: 'error',
      from: { path: '^(libs|services)/', pathNot: ['^libs/(servers|testkit)/', tests] },
      to: { path: '^libs/servers/' },
    },
    {
      name: 'nothing-imports-deploy',
      severity: 'error',
      from: { path: '^(libs|services)/' },
      to: { path: '^deploy/' },
    },
    {
      name: 'acceptance-is-black-box',
      comment: 'Acceptance tests see what a client sees: testkit, the contracts and HTTP, never the source.',
      severity: 'error',
      from: { path: '^services/gateway/acceptance/' },
      to: { path: '^services/[^/]+/src/|^libs/(bus|db|runtime)/' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.gen\\.ts$|vitest\\.config\\.ts$|^libs/client/dist/' },
    // Reads TypeScript, types-only imports included, without the compiler's API.
    parser: 'swc',
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    skipAnalysisNotInRules: true,
  },
};
