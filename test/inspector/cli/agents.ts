/** A module as a person names it: agents by name, in a list, and other exports. */
import { worker } from '../../support/agents/agents.ts'
import { office } from '../support/office.ts'

export const boss = office()
export default [boss, worker('other', []).agent]
export const title = 'No agent.'
