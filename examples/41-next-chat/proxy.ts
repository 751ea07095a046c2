/** Each visitor has a name, by which the visitor's runs are found. It stands in for the sign-in of your app. */
import { NextResponse, type NextRequest } from 'next/server'

export function proxy(request: NextRequest): NextResponse {
  if (request.cookies.has('visitor')) return NextResponse.next()
  const response = NextResponse.redirect(request.nextUrl)
  response.cookies.set('visitor', crypto.randomUUID(), { httpOnly: true, sameSite: 'lax' })
  return response
}

export const config = { matcher: ['/', '/runs'] }
