/** `lint`: what a tree of agents says about its runs before any of them. It is pure: no model, tool or hook is called. */
import { aName, listOf, oneOf, anything, positiveInteger } from '../../actors/strict/checks.ts'
import {
  anObject,
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { asDefinition, type AnyAgent } from '../../runtime/definition/definition.ts'
import type { CallOptions } from '../../runtime/options/options.ts'
import { inBackground } from './background.ts'
import { shadowed } from './caps.ts'
import { costs, budget } from './fewest-calls.ts'
import { endings } from './endings.ts'
import { finding, severities, type Finding, type FindingCode, type Severity } from './finding.ts'
import { questions, type Entry } from './people.ts'
import { unreachable, unseen } from './reachability.ts'
import { taskTypes, unusedOptions, withoutAgents } from './unused-options.ts'
import { readTree, type AgentTree } from './tree.ts'

/** A finding that is intended. */
export interface AcceptedFinding {
  readonly code: FindingCode
  /** Default: every place. */
  readonly path?: string
  /** Why it is intended, for readers of the test. */
  readonly reason: string
}

/** The options of `lint`. */
export interface LintOptions<Options extends object = object> {
  /** The options that runs are given. Default: none. */
  readonly run?: Options & CallOptions
  /** How runs are started: after `generate()` no one can answer a question of the run. Default: `'troupe'`. */
  readonly entry?: Entry
  /** The most model calls that a run may make, final turns not counted: a larger bound is an error. Default: any. */
  readonly modelCalls?: number
  /** Findings that are intended. One that accepts nothing is a finding itself. Default: none. */
  readonly accept?: readonly AcceptedFinding[]
}

const acceptedFields: Fields<AcceptedFinding> = {
  code: required(oneOf(...Object.keys(severities))),
  path: optional(aName),
  reason: required(aName),
}

const fields = {
  run: withDefault(anything, {}),
  entry: withDefault(oneOf('troupe', 'generate'), 'troupe'),
  modelCalls: optional(positiveInteger),
  accept: withDefault(listOf(anObject(acceptedFields, { word: 'field' })), []),
} satisfies Fields<LintOptions>

const order: readonly Severity[] = ['error', 'warning', 'info']

/**
 * Reads the tree of agents below `agent` and returns its findings, errors first. It is pure: it calls no model, tool or
 * hook, and no function of the run but those that name `handoffs`. Parts that functions of the run make are not seen,
 * and are reported as `depends-on-run`. Throws a `ConfigurationError` for a wrong option of its own; a run that would
 * be refused is the finding `run-refused`.
 */
export function lint<Options extends object, Object, Args extends readonly unknown[]>(
  agent: AnyAgent<Options, Object, Args>,
  options?: LintOptions<Options>,
): readonly Finding[]
export function lint(agent: AnyAgent, options: LintOptions = {}): readonly Finding[] {
  const read = readOptions<LintOptions>(options, 'lint', fields)
  const { run, entry, accept, modelCalls } = { modelCalls: undefined, ...defaultsOf(fields), ...read }
  const reading = readTree(asDefinition(agent), run)
  const found = reading.ok
    ? findingsOf(reading.tree, entry, modelCalls)
    : [finding('run-refused', agent.id, reading.problem)]
  const kept = found.filter((one) => !accept.some((accepted) => isAccepted(one, accepted)))
  const unused = accept
    .filter((accepted) => !found.some((one) => isAccepted(one, accepted)))
    .map(({ code, path = agent.id, reason }) =>
      finding(
        'unused-exception',
        path,
        `The accepted finding "${code}" does not occur ("${reason}"): remove the exception.`,
      ),
    )
  return [...kept, ...unused].toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}

function findingsOf(tree: AgentTree, entry: Entry, modelCalls: number | undefined): Finding[] {
  return [
    ...unreachable(tree),
    ...taskTypes(tree),
    ...endings(tree),
    ...unusedOptions(tree),
    ...withoutAgents(tree),
    ...shadowed(tree),
    ...inBackground(tree),
    ...budget(tree),
    ...questions(tree, entry),
    ...costs(tree, modelCalls),
    ...unseen(tree),
  ]
}

function isAccepted({ code, path }: Finding, accepted: AcceptedFinding): boolean {
  return accepted.code === code && (accepted.path === undefined || accepted.path === path)
}
