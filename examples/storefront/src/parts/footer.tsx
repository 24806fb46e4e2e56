import { useBusiness } from '../state/kontor.ts'
import { Newsletter } from './newsletter.tsx'

export function Footer() {
  const business = useBusiness().value
  return (
    <footer class="footer">
      <div class="footer-row">
        <Newsletter />
        <nav aria-label="More">
          <a href="/shop">Everything</a>
          <a href="/journal">Journal</a>
          <a href="/orders">Your orders</a>
          <a href="/account">Your account</a>
        </nav>
      </div>
      <p class="colophon">{business?.name ?? 'Harbour Goods'}. A shop front on Kontor, through its SDK alone.</p>
    </footer>
  )
}
