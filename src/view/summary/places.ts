/** The agent of an actor, and types that are filled in as entries come. */
import { agentOf, agentPath, lastId } from '../../kit/index.ts'

/** The id of the nearest agent of the actor at a path. */
export function agentAt(path: string): string {
  return agentOf(lastId(agentPath(path))) ?? ''
}

export type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
