/** Input, context and output of a tool call. */
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import { labelOf, withFiles, type Content, type FilePart } from '../../actors/content/content.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { ApprovalPolicy, JudgedCall } from '../../actors/message.ts'
import type { SuspensionAnswer } from '../../actors/tool.ts'
import type { ToolScope } from '../../actors/tool-groups.ts'
import type { CallCheck, Toolset } from '../../actors/toolset/toolset.ts'
import { workingMemoryToolName } from '../../actors/toolset/working-memory.ts'
import type { ErrorData } from '../../errors.ts'
import { withChangedArguments } from '../contract/answers.ts'
import type { ToolCallOutput } from '../contract/reports.ts'
import { aNumber, aRecord, aToolset, startedByAgents } from '../shared/chart-input.ts'
import { anything, aText } from '../../actors/strict/checks.ts'
import { optional, required } from '../../actors/strict/read-options.ts'

export interface ToolCallInput {
  /** The agent whose model called. */
  readonly agent: string
  /** Unique in the tree of the run; the path of this actor. */
  readonly callId: string
  readonly call: JudgedCall
  readonly toolset: Toolset
  /** How often a `RetryableError` is tried again. */
  readonly retries: number
  readonly hookErrors: 'fail' | 'ignore'
  /** Milliseconds that a user function may take. */
  readonly hookTimeout: number
  /** A person has decided about all calls of this tool by this agent, for the rest of the run. */
  readonly standing?: EffectOutcome<'signal'>
  /** Of a search for tools: where it may find some. */
  readonly scope?: ToolScope
}

/** A question of a tool. */
export interface AskedByTool extends Pick<SuspensionAnswer, 'payload' | 'name'> {
  /** Milliseconds after which the call goes on by itself. */
  readonly delay?: number
}

export interface ToolCallContext extends ToolCallInput {
  readonly check: CallCheck
  readonly failures: number
  /** How often the process ended after an attempt had begun. */
  readonly interruptions: number
  /** An attempt was interrupted, and another one follows. */
  readonly isAgain: boolean
  readonly value: JsonValue
  /** The files in the value. */
  readonly files: readonly FilePart[]
  /** The files go up to the agents above. */
  readonly leaving?: true
  readonly error: ErrorData | undefined
  /** Worded for the model; `undefined`: the model reads only that the call failed. */
  readonly explanation: string | undefined
  /** What the tool asked when it suspended the call. */
  readonly asked: AskedByTool
  /** A person has changed the arguments: the call as the model made it, and the answer. */
  readonly change: { readonly asked: JudgedCall; readonly answer: EffectOutcome<'signal'> } | undefined
  /** The answers to the suspensions of this call, in their order. */
  readonly answers: readonly SuspensionAnswer[]
}

const assertInput = /* @__PURE__ */ startedByAgents<ToolCallInput>('tool-call', {
  agent: required(aText),
  callId: required(aText),
  call: required(aRecord),
  toolset: required(aToolset),
  retries: required(aNumber),
  hookErrors: required(aText),
  hookTimeout: required(aNumber),
  standing: optional(anything),
  scope: optional(aRecord),
})

export function initialContext(input: ToolCallInput): ToolCallContext {
  assertInput(input)
  return {
    ...input,
    check: input.toolset.check(input.call),
    failures: 0,
    interruptions: 0,
    isAgain: false,
    value: null,
    files: [],
    error: undefined,
    explanation: undefined,
    asked: { payload: null },
    change: undefined,
    answers: [],
  }
}

/**
 * The timeouts of an attempt. The library's own tool for the working memory has that of hooks: it waits for the
 * user's store.
 */
export function attemptLimits({ toolset, call, hookTimeout }: ToolCallInput) {
  const isOurs = call.name === workingMemoryToolName
  const timeout = toolset.tools.get(call.name)?.timeout ?? (isOurs ? hookTimeout : undefined)
  return { ...(timeout === undefined ? {} : { timeout }), hookTimeout }
}

/**
 * Whether a person must approve the call: the policy with which the run began, or that of the call where it is stricter.
 */
export function approvalPolicy({ toolset, call }: ToolCallInput): ApprovalPolicy {
  return call.verdict?.requireApproval ?? toolset.tools.get(call.name)?.requireApproval ?? false
}

/** The answers to the call, for its next attempt. */
export function answersSoFar({ answers }: Pick<ToolCallContext, 'answers'>) {
  const last = answers.at(-1)
  return last === undefined ? {} : { resumeData: last.data, answers }
}

export function approvalTimeout({ toolset, call }: ToolCallInput): number | undefined {
  return toolset.tools.get(call.name)?.approvalTimeout
}

/** The result as the model reads it: JSON in which a line stands for each file, and then the files. */
export function resultContent({ value, files }: Pick<ToolCallContext, 'value' | 'files'>): Content {
  if (typeof value === 'string') return value
  const named = (part: unknown): unknown => {
    const file = fileIn(part, files)
    return file === undefined ? part : labelOf(file)
  }
  const text = files.length === 0 ? JSON.stringify(value) : JSON.stringify(value, (_key, part) => named(part))
  return withFiles(text, files)
}

function fileIn(part: unknown, files: readonly FilePart[]): FilePart | undefined {
  if (!isRecord(part) || part['type'] !== 'file') return undefined
  return files.find((file) =>
    'ref' in file ? file.ref === part['ref'] : 'url' in file && file.url === part['url'],
  )
}

/** The files that go up to the agents above with the answer of the agent. */
export function madeFiles({
  files,
  leaving,
}: Pick<ToolCallContext, 'files' | 'leaving'>): Pick<ToolCallOutput, 'made'> {
  return leaving === undefined ? {} : { made: files }
}

/** The result of a call, with the arguments where a person has changed them and they fit; else the call has not run. */
export function asRan(
  { change, call, check }: Pick<ToolCallContext, 'change' | 'call' | 'check'>,
  content: Content,
): Pick<ToolCallOutput, 'content' | 'args'> {
  if (change === undefined || check.status !== 'valid') return { content }
  return { content: withChangedArguments(content, call.args), args: call.args }
}

/** Marks what is told of a call of the client's tools. */
export function ofClient({ toolset, call }: ToolCallContext): { readonly isClient?: true } {
  return toolset.tools.get(call.name)?.isClient === true ? { isClient: true } : {}
}

export function ended(
  outcome: 'failed' | 'denied' | 'cancelled',
  context: ToolCallContext,
  otherwise: string,
): ToolCallOutput {
  return {
    kind: 'tool',
    outcome,
    ...(context.error === undefined ? {} : { error: context.error }),
    ...asRan(
      context,
      JSON.stringify({
        error: context.explanation ?? otherwise,
        ...(outcome === 'denied' ? { denied: true } : {}),
      }),
    ),
  }
}
