/** Performs `tool` effects: takes validated input, returns JSON, and distinguishes suspension from failure. */
import type { EffectInput, EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { ownGetters } from '../../../actors/values/own-getters.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'
import { contextFor, validate, validateWritten, type Validation } from '../../../actors/schemas/validate.ts'
import { aName, is } from '../../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../../actors/strict/read-options.ts'
import { answersOf, type StartRun, type SuspendOptions, type Tool } from '../../../actors/tool.ts'
import { workingMemoryTool, workingMemoryToolName } from '../../../actors/toolset/working-memory.ts'
import { ConfigurationError, NestedRunError, TerminalError } from '../../../errors.ts'
import { putInTime, keptResult, type KeptResult } from '../../files/kept-content.ts'
import { livePartsInTime } from './live-parts.ts'
import type { NestedRunsOfCall, PerformContext } from './context.ts'
import { reportProgress } from './progress.ts'
import { inTime } from '../../in-time.ts'

/** The code of a tool result that JSON cannot hold. */
const code = 'TOOL_RESULT_NOT_JSON'

const suspendFields: Fields<SuspendOptions> = {
  name: optional(aName),
  until: optional(
    // No `Date` can tell of a later moment.
    is('a Date, or milliseconds since 1970', (given) =>
      given instanceof Date
        ? Number.isFinite(given.getTime())
        : typeof given === 'number' && Number.isFinite(new Date(given).getTime()),
    ),
  ),
}

type Suspended = KeptResult & SuspendOptions

export async function performTool(
  input: EffectInput<'tool'>,
  context: PerformContext,
): Promise<EffectOutcome<'tool'>> {
  const { hookTimeout } = input
  const { tools, toolset } = await livePartsInTime(input, context)
  const tool = tools[input.tool] ?? builtIn(input.tool, context)
  if (tool === undefined)
    throw new ConfigurationError(`The agent "${input.agent}" has no tool "${input.tool}".`)
  // A copy: a tool may change arguments that a schema passes through.
  const schemaOf = (part: string): string => `The ${part} schema of the tool "${input.tool}"`
  const args = await inTime(context, hookTimeout, schemaOf('input'), () =>
    validateWritten(tool.inputSchema, toJsonValue(input.args, 'The arguments')),
  )
  if (!args.ok) throw new TerminalError(args.problem, misfit('INVALID_TOOL_CALL', args.failure))
  const { contextSchema, outputSchema } = tool
  const runContext =
    contextSchema === undefined
      ? context.runContext
      : await inTime(context, hookTimeout, schemaOf('context'), () =>
          contextFor(contextSchema, context.runContext, `The tool "${input.tool}"`),
        )
  let suspension: Suspended | undefined
  let hasReturned = false
  const nested = new RunsHere(context)
  try {
    context.begun()
    const fields = {
      idempotencyKey: context.idempotencyKey,
      runId: context.runId,
      agent: input.agent,
      toolCallId: input.callId,
      inspect: context.inspect,
      resumeData: input.resumeData,
      answers: answersOf(input.answers),
      context: runContext,
      emit: (value: unknown) => reportProgress(value, context.onProgress),
      suspend(payload?: unknown, options: SuspendOptions = {}): never {
        const kept = keptResult(payload, 'The payload of suspend()', { root: 'payload', code })
        suspension = { ...kept, ...readOptions<SuspendOptions>(options, 'suspend', suspendFields) }
        throw new TerminalError('The tool suspended its call.', { code: 'SUSPENDED' })
      },
    }
    const value =
      tool.finds === undefined || input.scope === undefined
        ? await tool.execute(args.value, withSignalAndStart(fields, nested))
        : await tool.finds(args.value as { query: string }, toolset.findable(input.scope), context.signal)
    // A tool may catch the exception of `suspend`; it has suspended all the same.
    if (suspension !== undefined) return await suspended(suspension, context, hookTimeout)
    if (outputSchema !== undefined) {
      assertFits(await inTime(context, hookTimeout, schemaOf('output'), () => validate(outputSchema, value)))
    }
    const result = `The result of the tool "${input.tool}"`
    const { value: json, files, blobs } = keptResult(value, result, { root: 'result', code })
    await putInTime(blobs, context, hookTimeout)
    hasReturned = true
    return { type: 'returned', value: json, ...(files.length === 0 ? {} : { files, leaving: true }) }
  } catch (thrown) {
    if (suspension !== undefined) return await suspended(suspension, context, hookTimeout)
    throw thrown
  } finally {
    nested.over(hasReturned)
  }
}

/** The runs that a call begins: a call that begins none costs nothing. */
class RunsHere {
  readonly #context: PerformContext
  #runs: NestedRunsOfCall | undefined

  constructor(context: PerformContext) {
    this.#context = context
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  get start(): StartRun {
    this.#runs ??= this.#context.nestedRuns()
    return this.#runs?.start ?? unsupported
  }

  over(hasReturned: boolean): void {
    this.#runs?.over(hasReturned)
  }
}

const withSignalAndStart = /* @__PURE__ */ ownGetters<
  RunsHere,
  { readonly signal: AbortSignal; readonly start: StartRun }
>({ signal: (runs) => runs.signal, start: (runs) => runs.start })

const unsupported: StartRun = () =>
  Promise.reject(
    new NestedRunError(
      'NESTED_RUN_UNSUPPORTED',
      'Here a tool begins no run of its own. A troupe on a store does that (createTroupe); on Restate, make the agent a subagent.',
    ),
  )

/** The payload may hold files, as a result may. */
async function suspended(
  { value, blobs, name, until }: Suspended,
  context: PerformContext,
  hookTimeout: number | undefined,
): Promise<EffectOutcome<'tool'>> {
  await putInTime(blobs, context, hookTimeout)
  return {
    type: 'suspended',
    payload: value,
    ...(name === undefined ? {} : { name }),
    ...(until === undefined ? {} : { delay: Math.max(0, Number(until) - context.clock.now()) }),
  }
}

/** The working-memory tool, offered besides the agent's own tools, under a name that none of these then has. */
function builtIn(name: string, context: PerformContext): Tool | undefined {
  const { resourceId } = context
  if (name !== workingMemoryToolName || resourceId === undefined) return undefined
  return workingMemoryTool(async (content) => {
    if (context.descent?.isApart === true) return // the note of a fork is on record with the call
    await context.memory.workingMemory(resourceId, content)
  })
}

function assertFits(checked: Validation): void {
  if (!checked.ok) {
    const message = `The result does not fit the output schema: ${checked.problem}`
    throw new TerminalError(message, misfit('INVALID_TOOL_OUTPUT', checked.failure))
  }
}

/** The exception of a schema that throws is the cause. */
function misfit(code: string, failure: { readonly thrown: unknown } | undefined) {
  return failure === undefined ? { code } : { code, cause: failure.thrown }
}
