/** The connection and the facts about the service, for all views. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Action, ServiceInfo } from '../../wire/routes.ts'
import type { Api } from '../connection/api.ts'

export interface PageContext {
  readonly api: Api
  /** `undefined`: not loaded yet. */
  readonly service: ServiceInfo | undefined
  /** The run is a story: nothing can be done to it, and nothing is offered. */
  readonly isStory?: true
}

export const PageProvider = createContext<PageContext | undefined>(undefined)

export function usePage(): PageContext {
  const page = useContext(PageProvider)
  if (page === undefined) throw new Error('The view is not in the page.')
  return page
}

/** Why an action cannot be offered; `undefined`: it can. */
export function refusalOf(service: ServiceInfo | undefined, action: Action): string | undefined {
  return service === undefined ? 'The inspector is being asked what it offers.' : service.unavailable[action]
}

/** Why a run can be forked in no way; `undefined`: it can in some. */
export function forkRefusal(service: ServiceInfo | undefined): string | undefined {
  return refusalOf(service, 'dry') === undefined ? undefined : refusalOf(service, 'fork')
}
