/**
 * Compiles the type tests against the packed package in a stranger's project, with each version of TypeScript that we
 * support, strict and with the declarations of all libraries checked; then looks for `any` in its public types.
 */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5.9'
import { findAny } from './find-any.ts'
import { root, StrangerProject } from './stranger-project.ts'

/** By the names under which they are installed. What the oldest and the newest take in an app, the one between them does. */
const compilers: Readonly<
  Record<string, { readonly version: string; readonly compiles: readonly string[] }>
> = {
  'typescript-5.9': { version: '5.9', compiles: ['server', 'app', 'declarations'] },
  'typescript-6': { version: '6.0', compiles: ['server'] },
  typescript: { version: '7.0', compiles: ['server', 'app', 'declarations', 'strictest'] },
}

const common = {
  target: 'es2024',
  strict: true,
  skipLibCheck: false,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}

/**
 * A server has the types of node and no others; an app goes through a bundler, and has those of the browser. What
 * passes with the declarations of libraries checked also passes without, so only the strictest is spared.
 */
const projects = {
  server: {
    compilerOptions: {
      ...common,
      module: 'nodenext',
      moduleResolution: 'nodenext',
      lib: ['es2024', 'esnext.disposable'],
      types: ['node'],
    },
    include: ['types'],
    exclude: ['types/subpaths/inspect-stately.test-d.ts'], // @statelyai/inspect names types of the browser
  },
  app: {
    compilerOptions: {
      ...common,
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.asynciterable'],
      types: [],
    },
    include: ['types'],
    exclude: ['types/subpaths/mcp.test-d.ts'], // @modelcontextprotocol/server names types of node
  },
  strictest: {
    compilerOptions: {
      ...common,
      module: 'nodenext',
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.asynciterable'],
      types: [],
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true, // the declarations of xstate do not stand exactOptionalPropertyTypes
    },
    include: ['types'],
  },
}

/** A package that exports agents: the declarations that the compiler writes for it. */
const declarations = {
  compilerOptions: {
    ...common,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: 'types',
    outDir: 'declarations',
    module: 'nodenext',
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.asynciterable'],
    types: [],
    skipLibCheck: true,
  },
  include: ['types/declarations*.test-d.ts'],
}

/** XState's names for "whatever logic, actor or system a user has": there is no narrower type that takes every machine. */
const allowedAliases = ['AnyStateMachine', 'AnyActorLogic', 'AnyActorRef', 'AnyActorSystem']

/** The input of a tool that has no schema, as programs of Mastra read it: any field, of any type. */
const allowedPlaces = /^troupe\/mastra: (?:createTool\(config\)|LooseToolConfig)\.execute\(input\)$/

/** For hosts within this package alone. */
const unstable = ['./kit/host']

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

using project = new StrangerProject()
project.install(
  [
    '@types/node',
    '@ai-sdk/provider',
    '@types/json-schema', // of the types of @ai-sdk/provider
    '@a2a-js/sdk',
    '@modelcontextprotocol/server',
    '@opentelemetry/api',
    '@statelyai/inspect',
    '@restatedev/restate-sdk',
    '@restatedev/restate-sdk-clients',
  ].map((name) => `${name}@${manifest.devDependencies[name]}`),
)
cpSync(join(root, 'test/types'), join(project.directory, 'types'), { recursive: true })
for (const [name, options] of Object.entries(projects)) project.write(`tsconfig.${name}.json`, options)

project.write('tsconfig.declarations.json', declarations)

for (const [compiler, { version, compiles }] of Object.entries(compilers)) {
  const { version: installed } = JSON.parse(
    readFileSync(join(root, 'node_modules', compiler, 'package.json'), 'utf8'),
  ) as { version: string }
  if (!installed.startsWith(`${version}.`)) throw new Error(`${compiler} is ${installed}, not ${version}.`)
  for (const name of compiles) project.compile(compiler, `tsconfig.${name}.json`)
}

const directory = join(project.directory, 'node_modules', manifest.name)
const entries = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([subpath, target]) =>
    typeof target === 'string' || unstable.includes(subpath)
      ? []
      : [[join(manifest.name, subpath), join(directory, target.types)]],
  ),
)
const found = findAny(entries, directory, {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  types: [],
})
  .filter(({ alias }) => alias === undefined || !allowedAliases.includes(alias))
  .filter(({ path }) => !allowedPlaces.test(path))
if (found.length > 0) {
  throw new Error(
    ['`any` in public types:', ...found.map(({ path, alias }) => `${path} (${alias ?? 'any'})`)].join('\n  '),
  )
}
console.log(`\nThe types of ${Object.keys(entries).join(', ')} compile, and hold no \`any\`.`)
