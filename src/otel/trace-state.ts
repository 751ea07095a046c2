/**
 * The tracestate of a run as OpenTelemetry has it. Its own class has the keys of the first edition of the specification, and
 * drops those that the second allows beside them: what other systems wrote must reach the next.
 */
import type { TraceState } from '@opentelemetry/api'
import { tracestateMembers } from '../kit/index.ts'

const mostMembers = 32

export class KeptTraceState implements TraceState {
  /** `key=value`; a key may come twice, as it was sent. */
  readonly #members: readonly string[]

  /** `tracestate`: one that a run has. */
  static of(tracestate: string): KeptTraceState {
    return new KeptTraceState(tracestateMembers(tracestate) ?? [])
  }

  private constructor(members: readonly string[]) {
    this.#members = members
  }

  get(key: string): string | undefined {
    return this.#members.find((member) => member.startsWith(`${key}=`))?.slice(key.length + 1)
  }

  /** The member that was changed goes first. One that would be none is left out. */
  set(key: string, value: string): KeptTraceState {
    const member = `${key}=${value}`
    const isOne = tracestateMembers(member)?.[0] === member
    if (!isOne) return this
    return new KeptTraceState([member, ...this.unset(key).#members].slice(0, mostMembers))
  }

  unset(key: string): KeptTraceState {
    return new KeptTraceState(this.#members.filter((member) => !member.startsWith(`${key}=`)))
  }

  serialize(): string {
    return this.#members.join(',')
  }
}
