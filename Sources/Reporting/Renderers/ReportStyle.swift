/// The style sheet of the page; without `<` and `&`, so that the page stays well-formed XML.
let reportStyle = String(decoding: PackageResources.report_css, as: UTF8.self)
