/** Says that a list is not current, because the server does not answer. */
import type { VNode } from 'preact'
import { isUnauthorized, messageOf } from '../connection/failure.ts'
import type { ListFailure } from './run-list.ts'

interface OutageProps {
  readonly failure: ListFailure | undefined
  /** The list has older content, which stays. */
  readonly isLoaded: boolean
  readonly retry: () => void
}

export function Outage({ failure, isLoaded, retry }: OutageProps): VNode {
  const isShown = failure !== undefined && isLoaded
  return (
    <div role="status" class={isShown ? 'notice bad' : 'unseen'}>
      {isShown && (
        <>
          <p class="said">
            {messageOf(failure.error)}{' '}
            {isUnauthorized(failure.error)
              ? 'The inspector was started again. Open the address that it has printed last: this page then goes on by itself.'
              : 'The list is as it was before; it is tried again.'}
          </p>
          <button type="button" class="button" onClick={retry}>
            Try now
          </button>
        </>
      )}
    </div>
  )
}
