/**
 * The suite of the Model Context Protocol, `@modelcontextprotocol/conformance`: its client calls agents of `mcpServer`, and its
 * servers are called by an agent with the tools of `mcpTools`. Each runs over sockets, in processes of their own.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { leftOut, type LeftOut } from './support/left-out.ts'
import { serverOfAgents } from './support/mcp/server.ts'
import { whole } from './support/whole.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const client = fileURLToPath(new URL('support/mcp/client-process.ts', import.meta.url))

interface Ended {
  readonly code: number
  readonly said: string
}

function run(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [suite, ...args], { maxBuffer: 2 ** 26 }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, said: stdout + stderr }),
    )
  })
}

/** The scenarios of one side, as the suite lists them. */
function namesIn(list: string, side: 'Server' | 'Client'): readonly string[] {
  const [, part = ''] = list.split(`${side} scenarios`)
  const [own = ''] = part.split('\n\n')
  return own.split('\n').flatMap((line) => /^ {2}- (\S+)/.exec(line)?.slice(1) ?? [])
}

const { said: list } = await run('list')

const noResources = 'A server of agents has tools alone, and no resources.'
const noPrompts = 'A server of agents has tools alone, and no prompts.'
const noTasks = 'The extension of tasks is not offered: a call answers when its run is idle.'
const noSkills = 'The extension of skills is not offered, and not used.'
const asksPersons = 'An agent asks persons alone: it wants no sampling and no roots of the client.'
const ownKeys = 'The keys of questions are ours, and the suite wants a name of its own.'

const notOfAgents: LeftOut = {
  'logging-set-level': 'A server of agents logs nothing to its clients.',
  'tools-call-with-logging': 'A server of agents logs nothing to its clients.',
  'completion-complete': 'The one argument of an agent is a prompt, which nothing completes.',
  'tools-call-sampling': asksPersons,
  'json-schema-2020-12': 'The schema of the tool of an agent is one prompt.',
  'elicitation-sep1034-defaults': 'The forms are those of questions of a run, and not those of the suite.',
  'elicitation-sep1330-enums': 'The forms are those of questions of a run, and not those of the suite.',
  'server-sse-polling': 'The suite finds no tool that closes its stream, and checks nothing.',
  'resources-list': noResources,
  'resources-read-text': noResources,
  'resources-read-binary': noResources,
  'resources-templates-read': noResources,
  'resources-subscribe': noResources,
  'resources-unsubscribe': noResources,
  'sep-2640-skills-directory': noSkills,
  'sep-2640-skills-enumeration': noSkills,
  'sep-2640-skills-manifest': noSkills,
  'prompts-list': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-with-image': noPrompts,
  'http-custom-header-server-validation': 'The tool of an agent has no argument that is sent as a header.',
  'tasks-lifecycle': noTasks,
  'tasks-capability-negotiation': noTasks,
  'tasks-wire-fields': noTasks,
  'tasks-request-state-removal': noTasks,
  'tasks-mrtr-input': noTasks,
  'tasks-request-headers': noTasks,
  'tasks-dispatch-and-envelope': noTasks,
  'tasks-status-notifications': noTasks,
  'tasks-required-task-error': noTasks,
  'tasks-mrtr-composition': noTasks,
  'input-required-result-basic-elicitation': ownKeys,
  'input-required-result-basic-sampling': asksPersons,
  'input-required-result-basic-list-roots': asksPersons,
  'input-required-result-multiple-input-requests': asksPersons,
  'input-required-result-non-tool-request': noPrompts,
  'input-required-result-capability-check': asksPersons,
  'input-required-result-ignore-extra-params': ownKeys,
}

/** Single checks of scenarios that apply otherwise. */
const checksLeftOut: LeftOut = {
  'sep-2575-server-rejects-undeclared-capability': asksPersons,
  'sep-2575-missing-capability-http-400': asksPersons,
  'sep-2549-prompts-list-caching-hints': noPrompts,
  'sep-2549-resources-list-caching-hints': noResources,
  'sep-2549-resources-templates-list-caching-hints': noResources,
}

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

/** By scenario, what the suite has checked. */
function checksIn(folder: string): ReadonlyMap<string, readonly Check[]> {
  return new Map(
    globSync('*/checks.json', { cwd: folder }).map((file) => [
      basename(dirname(file))
        .replace(/^server-/, '')
        .replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[],
    ]),
  )
}

const ofAgents = leftOut(namesIn(list, 'Server'), notOfAgents)

/** What the suite finds in a server of agents, by the revision that each scenario is for, or by the one that is given. */
async function checked(revision?: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  using folder = temporaryFolder()
  await using server = await serverOfAgents()
  const version = revision === undefined ? [] : ['--spec-version', revision]
  await run('server', '--url', server.url, '--suite', 'all', '-o', folder.path, ...version)
  return checksIn(folder.path)
}

const failuresIn = (checks: readonly Check[] = []): readonly Check[] =>
  checks.filter(({ id, status }) => status === 'FAILURE' && !(id in checksLeftOut))

describe('agents as the tools of a server:', () => {
  let checks: ReadonlyMap<string, readonly Check[]> = new Map()

  beforeAll(async () => {
    checks = await checked()
  }, 120_000)

  test.for(ofAgents)('%s', (name) => {
    const made = checks.get(name) ?? []
    expect(failuresIn(made)).toEqual([])
    expect(made.filter(({ status }) => status === 'SUCCESS')).not.toEqual([])
  })

  test('a check that is left out is one of the suite', () => {
    const known = [...checks.values()].flat().map(({ id }) => id)
    expect(leftOut(known, checksLeftOut)).not.toEqual([])
  })
})

test.for(whole ? ['2025-06-18', '2026-07-28'] : [])(
  'agents as the tools of a server, by the revision %s alone',
  { timeout: 120_000 },
  async (revision) => {
    const checks = await checked(revision)
    const made = ofAgents.flatMap((name) => [...(checks.get(name) ?? [])])
    expect(failuresIn(made)).toEqual([])
    expect(made.length).toBeGreaterThan(20)
  },
)

const noSkillsUsed: LeftOut = {
  'sep-2640-client-verify-digest': noSkills,
  'sep-2640-client-verify-size': noSkills,
  'sep-2640-client-verify-frontmatter': noSkills,
}

const ofClients = leftOut(namesIn(list, 'Client'), noSkillsUsed)

/** One of each kind, where time is short. */
const some = [
  'tools_call',
  'sse-retry',
  'sep-2322-client-request-state',
  'http-custom-headers',
  'auth/scope-step-up',
]

test.for(whole ? ofClients : some)(
  'an agent with the tools of a server: %s',
  { timeout: 60_000 },
  async (name) => {
    expect(ofClients).toContain(name)
    const command = `"${process.execPath}" --conditions=troupe-source "${client}"`
    const { code, said } = await run('client', '--command', command, '--scenario', name)
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('PASSED') })
  },
)
