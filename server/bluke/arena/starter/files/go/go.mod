module bot

go 1.26.0

require bluke-arena/clients/go v0.0.0

replace bluke-arena/clients/go => ./bluke-arena/clients/go
