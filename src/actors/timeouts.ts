/** The deadline of one effect: where it stands, and the error by which an effect settles that did not keep it. */
import type { EffectInput, EffectKind } from './effect-kinds.ts'
import type { ErrorData } from '../errors.ts'
import { isRecord } from './json.ts'

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

/** Milliseconds that the effect may take; `undefined`: any time. */
export function timeoutOf({ input }: Asked): number | undefined {
  const given: unknown = input // that of a stand-in for a child under test may be anything
  return isRecord(given) && typeof given['timeout'] === 'number' ? given['timeout'] : undefined
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
