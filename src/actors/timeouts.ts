/** The deadline of one effect: where it stands, and the error by which an effect settles that did not keep it. */
import type { EffectInput, EffectKind } from './effect-kinds.ts'
import { TerminalError, type ErrorData } from '../errors.ts'

/** By kind: what the effect of a tool, a model, or any other function of the user's settles with. */
export const timeoutCodes = {
  tool: 'TOOL_TIMEOUT',
  model: 'MODEL_TIMEOUT',
  other: 'HOOK_TIMEOUT',
} as const

interface Asked<Kind extends EffectKind = EffectKind> {
  readonly kind: Kind
  readonly input: EffectInput<Kind>
}

/** The kinds that may have a deadline. The test kit has one of its own, whose input is any value of a user's. */
const limitedKinds: ReadonlySet<string> = new Set<EffectKind>([
  'tool',
  'model',
  'hook',
  'scorer',
  'memory',
  'config',
])

/** Milliseconds that the effect may take; `undefined`: any time. */
export function timeoutOf({ kind, input }: Asked): number | undefined {
  return limitedKinds.has(kind) && 'timeout' in input ? input.timeout : undefined
}

export function timeoutError(effect: Asked): ErrorData {
  const asked = effect as { [Kind in EffectKind]: Asked<Kind> }[EffectKind]
  const after = `within ${timeoutOf(asked)} ms.`
  switch (asked.kind) {
    case 'tool':
      return timedOut(timeoutCodes.tool, `The tool "${asked.input.tool}" did not finish ${after}`)
    case 'model':
      // As the timeout of a driver: the next call may be faster.
      return {
        ...timedOut(timeoutCodes.model, `The model "${asked.input.model}" was not done ${after}`),
        retryable: true,
      }
    case 'hook':
      return hookTimeout(asked.input.hook, after)
    case 'scorer':
      return hookTimeout(`The scorer "${asked.input.scorer}"`, after)
    case 'memory':
      return hookTimeout(`The memory (${asked.input.operation})`, after)
    default:
      return hookTimeout('The store', after)
  }
}

/** As it is reported: nothing was thrown, and the stack says nothing of the function. */
export function timeoutException(effect: Asked): TerminalError {
  const { name, code, message } = timeoutError(effect)
  return Object.assign(new TerminalError(message, { code }), { name })
}

/** Of a function of the user's that did not answer in time. */
export function hookTimeout(what: string, after: string): ErrorData {
  return timedOut(timeoutCodes.other, `${what} did not answer ${after}`)
}

/** Whether an effect ended so because its deadline passed. */
export function isTimeoutOf({ kind }: { readonly kind: EffectKind }, error: ErrorData | undefined): boolean {
  return error?.code === (kind === 'tool' || kind === 'model' ? timeoutCodes[kind] : timeoutCodes.other)
}

function timedOut(code: string, message: string): ErrorData {
  return { name: 'TimeoutError', code, message }
}
