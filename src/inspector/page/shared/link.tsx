/** A link to a place in the page. It can be opened in a tab of its own. */
import type { ComponentChildren, VNode } from 'preact'
import { withToken } from '../connection/token.ts'
import { addressOf, goTo, type Place } from './router.ts'

interface LinkProps {
  readonly to: Place
  readonly class?: string
  readonly title?: string
  /** The place is the present one. */
  readonly isCurrent?: boolean
  readonly children?: ComponentChildren
}

export function Link({ to, isCurrent, children, ...rest }: LinkProps): VNode {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    goTo(to)
  }
  return (
    <a
      {...rest}
      aria-current={isCurrent === true ? 'page' : undefined}
      href={withToken(addressOf(to))}
      onClick={follow}
    >
      {children}
    </a>
  )
}
