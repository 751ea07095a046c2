/** Parts of an agent that are functions of the run, with the argument that Mastra gives them. */
import type { RunContext } from '../index.ts'
import { isRecord } from '../kit/index.ts'

/** The argument of a function of the run. */
export interface DynamicArguments {
  readonly requestContext: ReadonlyMap<string, unknown>
  /** As `requestContext`. */
  readonly runtimeContext: ReadonlyMap<string, unknown>
  readonly runId: string
}

/** A value, or a function of the run that makes it. */
export type DynamicArgument<Value> = Value | ((run: DynamicArguments) => Value | Promise<Value>)

type OfRun<Made> = (run: RunContext<unknown>) => Promise<Made>

/** `make` turns what was given, or what the function answers, into what this library takes. */
export function dynamic<Value, Made>(
  given: DynamicArgument<Value>,
  make: (value: Value) => Made | Promise<Made>,
): Promise<Made> | OfRun<Made> {
  if (isFunctionOfRun(given)) return async (run) => make(await given(argumentsOf(run)))
  return Promise.resolve(make(given))
}

export function isFunctionOfRun<Value>(
  given: DynamicArgument<Value>,
): given is (run: DynamicArguments) => Value | Promise<Value> {
  return typeof given === 'function'
}

function argumentsOf({ context, runId }: RunContext<unknown>): DynamicArguments {
  const requestContext = new Map(isRecord(context) ? Object.entries(context) : [])
  return { requestContext, runtimeContext: requestContext, runId }
}
