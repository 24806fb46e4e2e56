/** In two languages: what is not there has no language. */
export default function NotFound() {
  return (
    <main className="wrap section">
      <h1>404</h1>
      <p className="lead">There is no such page. Diese Seite gibt es nicht.</p>
      <p className="next">
        <a className="button" href="/">
          To the shop · Zum Laden
        </a>
      </p>
    </main>
  )
}
