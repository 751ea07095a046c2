/** The guards of a chart, each looked up once. */
import type { AnyEventObject, AnyStateMachine } from 'xstate'
import { asChecked, type ActionArgs } from './xstate-actions.ts'

/** The step in which a guard is asked. */
export interface Asking {
  argsFor(event: AnyEventObject): ActionArgs
}

export type Test = (step: Asking, event: AnyEventObject) => boolean

interface Named {
  readonly type: string
  readonly params?: unknown
}

/** A guard as a chart names it. */
export function testOf(machine: AnyStateMachine, given: unknown): Test {
  const named = given as string | Named
  const isInline = typeof given === 'function'
  const type = typeof named === 'string' ? named : named.type
  const implementations: Readonly<Record<string, unknown>> = machine.implementations.guards
  const resolved = isInline ? given : implementations[type]
  if (resolved === undefined) {
    return () => {
      throw new Error(`Guard '${type}' is not implemented.'.`)
    }
  }
  if (typeof resolved !== 'function') return testOf(machine, resolved)
  const checked = asChecked(resolved)
  if (checked !== undefined) {
    return (step, event) => checked.check(step, step.argsFor(event), checked)
  }
  const test = resolved as (args: object, params: unknown) => boolean
  const params = isInline || typeof named === 'string' ? undefined : named.params
  if (typeof params === 'function') {
    return (step, event) => {
      const args = step.argsFor(event)
      return test(args, (params as (args: object) => unknown)(args))
    }
  }
  return (step, event) => test(step.argsFor(event), params)
}
